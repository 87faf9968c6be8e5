//! The table of all values with their shapes, and the annotations that write it back into the file.

use super::{
    super::{
        id::{GraphId, TensorId},
        inferred::{Inferred, Source, TensorRecord},
        num::Num,
        text::{known_text, plain, sympy},
    },
    check::reason,
    name::tensor_plain,
};
use crate::{
    element::Element,
    types::{Dim, TensorType, Type, ValueInfo},
    write::Annotations,
};

/// A value in the table.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Whether it is an input, an output, a stored weight, or given by a node.
    pub kind: &'static str,
    /// The type of its elements.
    pub element: String,
    /// Its shape.
    pub shape: String,
    /// Its sizes; none where not even their number is known.
    pub sizes: Option<Vec<String>>,
    /// The operator of the node that gives it.
    pub op: Option<String>,
    /// The graph that it is in, if not the model's own.
    pub graph: Option<String>,
    /// Why no more is known.
    pub stop: Option<String>,
}

/// All values, in the order in which they are computed.
pub fn rows(inferred: &Inferred<'_, '_>) -> Vec<Row> {
    let nums = inferred.nums();
    let row = |(id, record): (TensorId, &TensorRecord<'_>)| {
        let is_own = record.graph == GraphId(0);
        let is_output = inferred.outputs().contains(&Some(id));
        let kind = match record.source {
            Source::Input(_) if is_own => "input",
            Source::Input(_) => "given",
            Source::Initializer => "initializer",
            Source::Node(..) if is_output => "output",
            Source::Node(..) => "node",
        };
        let node = if let Source::Node(node, _) = record.source { Some(node) } else { None };
        let sizes = record.known.shape.as_ref();
        Row {
            name: tensor_plain(inferred, id),
            kind,
            element: record.known.element.to_string(),
            shape: known_text(nums, &record.known),
            sizes: sizes.map(|sizes| sizes.iter().map(|size| nums.text(*size)).collect()),
            op: node.map(|node| plain(&inferred.node(node).node.op.to_lossy())),
            graph: (!is_own).then(|| plain(&inferred.graph(record.graph).name.to_lossy())),
            stop: record.stop.as_ref().zip(node).map(|(stop, node)| reason(inferred, node, stop)),
        }
    };
    inferred.tensors().map(row).collect()
}

/// What writing the model back with all shapes says: the texts of sizes that are computed, to which
/// the annotations refer.
pub struct SizeTexts(Vec<(TensorId, Vec<Option<String>>)>);

/// The texts of the sizes of all values of the model's own graph that nodes give.
pub fn size_texts(inferred: &Inferred<'_, '_>) -> SizeTexts {
    let nums = inferred.nums();
    let text = |num: &Num| num.as_int().is_none().then(|| sympy(nums, *num));
    let own = inferred.tensors().filter(|(_, record)| {
        record.graph == GraphId(0) && matches!(record.source, Source::Node(..))
    });
    SizeTexts(
        own.filter_map(|(id, record)| {
            Some((id, record.known.shape.as_ref()?.iter().map(text).collect()))
        })
        .collect(),
    )
}

/// What the model's own graph says of its values once they are inferred: computed sizes as sympy
/// writes them.
///
/// Values whose type of elements or number of axes is not known are left out, and so are those that
/// are not tensors.
pub fn annotations<'t>(inferred: &Inferred<'_, 't>, texts: &'t SizeTexts) -> Annotations<'t> {
    let mut all = Annotations { value_info: Some(vec![]), outputs: vec![] };
    for (id, texts) in &texts.0 {
        let record = inferred.tensor(*id);
        let known = &record.known;
        let Some(sizes) = known.shape.as_ref().filter(|_| known.container.is_none()) else {
            continue;
        };
        if known.element == Element::Undefined {
            continue;
        }
        let dims = sizes.iter().zip(texts).map(|(size, text)| match (size, text) {
            (Num::Int(n), _) => Dim::Value(*n),
            (_, Some(text)) => Dim::Param(text.as_str().into()),
            (_, None) => Dim::Unknown,
        });
        let ty = Type::Tensor(TensorType { element: known.element, shape: Some(dims.collect()) });
        let info = ValueInfo { name: record.name, ty };
        if inferred.outputs().contains(&Some(*id)) {
            all.outputs.push(info);
        } else {
            all.value_info.get_or_insert_default().push(info);
        }
    }
    all
}
