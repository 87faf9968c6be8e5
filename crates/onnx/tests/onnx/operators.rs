//! What rules say of operators: the sizes of outputs in names of inputs, their element types, and
//! what has to hold.
//!
//! A case is four texts: a node, its inputs, its outputs and its conditions. A node is
//! `[domain::]Name@version` and attributes `name=1`, `name=[1,2]` or `name='text'`. Inputs are
//! separated by `;`: sizes, after an element type if that is not `float`, after `sequence` if it is
//! one of these; `=[1,2]`, `=1` and `=[0.5]` are constants; `-` is left out. ONNX's own tests of
//! operators (`xtask onnx --nodetests`) cover more cases; these say what is required too.

use std::fmt::Write as _;

use lozenge_onnx::{
    Model,
    infer::{Inferred, Options, Relation, infer},
};

use crate::encode::{Message, message, sequence_of, value};

const FLOAT: i64 = 1;
const INT64: i64 = 7;
const TYPES: [(&str, i64); 6] =
    [("uint8", 2), ("int8", 3), ("int32", 6), ("int64", INT64), ("string", 8), ("bool", 9)];

fn attribute(text: &str) -> Message {
    let (name, value) = text.split_once('=').unwrap();
    let attribute = message().text(1, name);
    if let Some(text) = value.strip_prefix('\'') {
        return attribute.text(4, text.trim_end_matches('\'')).int(20, 3);
    }
    let Some(list) = value.strip_prefix('[') else {
        return attribute.int(3, value.parse().unwrap()).int(20, 2);
    };
    let list = list.trim_end_matches(']').split(',');
    if list.clone().any(|item| item.starts_with('\'')) {
        let listed = list.fold(attribute, |all, item| all.text(9, item.trim_matches('\'')));
        return listed.int(20, 8);
    }
    let listed = list.filter(|item| !item.is_empty());
    listed.fold(attribute, |all, item| all.int(8, item.parse().unwrap())).int(20, 7)
}

fn constant(name: &str, text: &str) -> Message {
    let list = text.strip_prefix('[');
    let items: Vec<&str> = list.unwrap_or(text).trim_end_matches(']').split(',').collect();
    let tensor = message().text(8, name);
    let tensor = if text.contains('.') {
        items
            .iter()
            .fold(tensor.int(2, FLOAT), |tensor, item| tensor.float(4, item.parse().unwrap()))
    } else {
        let items: Vec<i64> = items.iter().map(|item| item.trim().parse().unwrap()).collect();
        tensor.int(2, INT64).packed(7, &items)
    };
    match list {
        Some(_) => tensor.int(1, i64::try_from(items.len()).unwrap()),
        None => tensor,
    }
}

pub(crate) fn file(node: &str, inputs: &str, outputs: usize) -> Vec<u8> {
    let mut words = node.split(' ');
    let (op, version) = words.next().unwrap().split_once('@').unwrap();
    let (domain, op) = op.rsplit_once("::").unwrap_or(("", op));
    let mut graph = message().text(2, "g");
    let mut node = message().text(4, op).text(7, domain);
    for (number, input) in inputs.split(';').map(str::trim).enumerate() {
        let name = format!("i{number}");
        if input == "-" {
            node = node.text(1, "");
            continue;
        }
        node = node.text(1, &name);
        if let Some(text) = input.strip_prefix('=') {
            graph = graph.nest(5, constant(&name, text));
            continue;
        }
        let sequence = input.strip_prefix("sequence");
        let mut sizes: Vec<&str> = sequence.unwrap_or(input).split_whitespace().collect();
        let of =
            |sizes: &[&str]| TYPES.iter().find(|(name, _)| sizes.first() == Some(name)).copied();
        let element = of(&sizes).map_or(FLOAT, |(_, element)| {
            sizes.remove(0);
            element
        });
        graph = match sequence {
            None => graph.nest(11, value(&name, element, &sizes)),
            Some(_) => graph.nest(11, sequence_of(&name, element, &sizes)),
        };
    }
    for output in 0..outputs {
        node = node.text(2, &format!("o{output}"));
    }
    let node = words.fold(node, |node, word| node.nest(5, attribute(word)));
    let opset = message().text(1, domain).int(2, version.parse().unwrap());
    message().int(1, 10).nest(7, graph.nest(1, node)).nest(8, opset).0
}

pub(crate) fn outputs_of(inferred: &Inferred<'_, '_>, count: usize) -> String {
    let output = |number: usize| {
        let tensor = inferred.tensor(inferred.find(&format!("o{number}")).unwrap());
        let element = tensor.known.element.to_string();
        let shown = match &tensor.known.shape {
            None => format!("{:?}", tensor.stop),
            Some(sizes) => {
                sizes.iter().map(|size| inferred.nums().text(*size)).collect::<Vec<_>>().join(" ")
            }
        };
        let text = if element == "float" { shown } else { format!("{element} {shown}") };
        text.trim().to_owned()
    };
    (0..count).map(output).collect::<Vec<_>>().join("; ")
}

pub(crate) fn needs_of(inferred: &Inferred<'_, '_>) -> String {
    let text = |num| inferred.nums().text(num);
    let shown = |relation: Relation| match relation {
        Relation::Equal(a, b) => format!("{} = {}", text(a), text(b)),
        Relation::Stretch(a, b) => format!("{} ~ {}", text(a), text(b)),
        Relation::Fit(a, b) => format!("{} <= {}", text(a), text(b)),
        Relation::AtLeast(a, least) => format!("{} >= {least}", text(a)),
        Relation::Divides(a, b) => format!("{} | {}", text(a), text(b)),
    };
    let name = |id| inferred.nums().name(id).unwrap().text.clone();
    let taken =
        inferred.taken().iter().map(|taken| format!("{} = {}", name(taken.name), text(taken.num)));
    let required = inferred.requirements().iter().map(|required| shown(required.relation));
    let never = inferred.conflicts().iter().map(|conflict| match &conflict.relation {
        Some(relation) => format!("never {}", shown(*relation)),
        None => format!("{:?}", conflict.mistake.as_ref().unwrap()),
    });
    taken.chain(required).chain(never).collect::<Vec<_>>().join("; ")
}

/// Checks all cases, and says of all that fail what was found.
pub(crate) fn check(cases: &[(&str, &str, &str, &str)]) {
    let mut failed = String::new();
    for (node, inputs, outputs, needs) in cases {
        let count = outputs.split(';').count();
        let bytes = file(node, inputs, count);
        let model = Model::read(&bytes).unwrap();
        let inferred = infer(&model, &Options::default());
        let found = (outputs_of(&inferred, count), needs_of(&inferred));
        if (&found.0[..], &found.1[..]) != (*outputs, *needs) {
            writeln!(
                failed,
                "{node}: {inputs}\n  found  {found:?}\n  wanted {:?}",
                (outputs, needs)
            )
            .unwrap();
        }
    }
    assert!(failed.is_empty(), "\n{failed}");
}

/// What random models held against ONNX Runtime brought to light.
#[test]
fn ends_of_axes() {
    check(&[
        ("Gather@13", "n 2; =4", "2", "n >= 5"),
        ("Gather@13", "3 2; =[-4]", "1 2", "never 3 >= 4"),
        ("Pad@13 mode='reflect'", "n; =[3,1]", "n+4", "n >= 4"),
        ("Pad@13 mode='edge'", "n; =[3,1]", "n+4", ""),
        ("ConstantOfShape@9", "=[-1]", "-1", "never -1 >= 0"),
        ("ConvTranspose@11 pads=[1,1]", "1 1 n; 1 1 1", "1 1 n-2", "n-2 >= 1"),
        // Backwards a slice begins at an element, however far before them all it is said to.
        ("Slice@13", "1; =[-2]; =[-100]; =[0]; =[-1]", "1", ""),
        ("Slice@13", "2; =[-3]; =[-100]; =[0]; =[-1]", "1", ""),
        ("Slice@13", "4; =[-1]; =[-100]; =[0]; =[-1]", "4", ""),
        (
            "Transpose@13 perm=[0,0]",
            "2 3",
            "undefined Some(Attribute(\"perm\"))",
            "Attribute(\"perm\")",
        ),
        // Factors that 32 bits round: their products are rounded once more.
        ("Resize@13", "n; -; =[0.29]", "Resize_0", ""),
        ("Resize@13", "100; -; =[0.29]", "29", ""),
        ("Resize@13", "n; -; =[0.5]", "floor(n/2)", ""),
    ]);
}

/// A number that no rule can read is not taken for the number of a node that says none.
#[test]
fn what_cannot_be_read_is_refused() {
    let unread = |attribute: &str| {
        let stop = format!("Attribute(\"{attribute}\")");
        (format!("undefined Some({stop})"), stop)
    };
    for (node, inputs, attribute) in [
        ("Concat@13 axis='1'", "b s; b t", "axis"),
        ("Softmax@13 axis=[1]", "b s", "axis"),
        ("Conv@1 pads=1", "n 3 l; 8 3 5", "pads"),
    ] {
        let (outputs, needs) = unread(attribute);
        check(&[(node, inputs, &outputs, &needs)]);
    }
    let elements = |input: usize| {
        let stop = format!("Elements({input})");
        (format!("undefined Some({stop})"), stop)
    };
    // Numbers of elements that 64 bits cannot say are not 0, nor the greatest that they can.
    for (node, inputs, input) in
        [("Range@11", "=0.0; =1.0e30; =1.0e-9", 1), ("Resize@13", "3; -; =[1.0e30]", 2)]
    {
        let (outputs, needs) = elements(input);
        check(&[(node, inputs, &outputs, &needs)]);
    }
    // Whole numbers are counted as such: a float does not hold the greatest.
    check(&[
        ("Range@11", "=0; =9223372036854775807; =1", "int64 9223372036854775807", ""),
        ("Range@11", "=-2; =9223372036854775807; =2", "int64 4611686018427387905", ""),
        ("Range@11", "=3; =-4; =-2", "int64 4", ""),
        ("Range@11", "=3; =4; =-2", "int64 0", ""),
    ]);
}

#[test]
fn convolutions() {
    check(&[
        ("Conv@22 pads=[1,1,1,1]", "n 3 h w; 8 3 3 3; 8", "n 8 h w", ""),
        ("Conv@11", "n c h w; 8 3 3 3", "n 8 h-2 w-2", "c = 3; h-3 >= 0; w-3 >= 0"),
        ("Conv@1 group=2", "n 6 l; 8 3 1", "n 8 l", ""),
        ("Conv@1 group=2", "n c l; 8 3 1", "n 8 l", "c = 6"),
        ("Conv@1 group=4", "n 6 l; 8 3 1", "n 8 l", "never 6 = 12"),
        ("Conv@1 auto_pad='SAME_UPPER' strides=[2]", "n 3 l; 8 3 5", "n 8 l-floor(l/2)", ""),
        ("Conv@1 auto_pad='VALID' dilations=[2]", "n 3 l; 8 3 3", "n 8 l-4", "l-5 >= 0"),
        ("Conv@1", "n 3 4; 8 3 5", "n 8 0", "never -1 >= 0"),
        ("Conv@1 kernel_shape=[3]", "n 3 l; 8 3 5", "n 8 l-2", "l-3 >= 0; never 3 = 5"),
        (
            "Conv@1 pads=[1]",
            "n 3 l; 8 3 5",
            "undefined Some(Attribute(\"pads\"))",
            "Attribute(\"pads\")",
        ),
        ("ConvInteger@10", "uint8 n 3 l; uint8 8 3 1", "int32 n 8 l", ""),
        (
            "QLinearConv@10",
            "uint8 n 3 l; ; uint8; int8 8 3 1; 8; int8 8; ; uint8; int32 8",
            "uint8 n 8 l",
            "",
        ),
        ("com.microsoft::FusedConv@1", "n 3 l; 8 3 1; 8; m 8 l", "n 8 l", "m = n"),
        ("ConvTranspose@1 strides=[2] output_padding=[1]", "n 6 l; 6 4 3", "n 4 2*l+2", ""),
        ("ConvTranspose@1 group=2", "n 6 l; 6 4 3; b", "n 8 l+2", "b = 8"),
        ("ConvTranspose@1 strides=[2] auto_pad='SAME_LOWER'", "n c l; 6 4 3", "n 4 2*l", "c = 6"),
        ("ConvTranspose@1 strides=[2] output_shape=[9]", "n 6 l; 6 4 3", "n 4 9", ""),
        (
            "DeformConv@19 offset_group=2",
            "n 4 h w; 8 4 2 2; n 16 y x; 8; n 8 y x",
            "n 8 h-1 w-1",
            "y = h-1; x = w-1; h-2 >= 0; w-2 >= 0",
        ),
        ("Col2Im@18", "n 10 l; =[5,5]; =[1,5]", "n 2 5 5", "l = 5"),
        ("Col2Im@18", "n c 5; =[5,5]; =[1,5]", "n c/5 5 5", "5 | c"),
    ]);
}

#[test]
fn pools() {
    check(&[
        ("MaxPool@12 kernel_shape=[2] strides=[2]", "n c l", "n c floor(l/2)", "l-2 >= 0"),
        (
            "MaxPool@12 kernel_shape=[2] strides=[2]",
            "n c l",
            "n c floor(l/2); int64 n c floor(l/2)",
            "l-2 >= 0",
        ),
        (
            "MaxPool@10 kernel_shape=[3] strides=[2] ceil_mode=1",
            "n c l",
            "n c l-ceil(l/2)",
            "l-3 >= 0",
        ),
        (
            "AveragePool@1 kernel_shape=[3] auto_pad='SAME_LOWER' strides=[2]",
            "n c l",
            "n c l-floor(l/2)",
            "",
        ),
        (
            "LpPool@18",
            "n c l",
            "undefined Some(Attribute(\"kernel_shape\"))",
            "Attribute(\"kernel_shape\")",
        ),
        ("MaxUnpool@9 kernel_shape=[2] strides=[2]", "n c l; int64 n c m", "n c 2*l", "m = l"),
        ("MaxUnpool@9 kernel_shape=[2] strides=[2]", "n c l; int64 n c l; =[1,1,9]", "1 1 9", ""),
        (
            "MaxUnpool@9 kernel_shape=[2]",
            "n c l; int64 n c l; int64 3",
            "MaxUnpool_0 MaxUnpool_0_1 MaxUnpool_0_2",
            "",
        ),
        (
            "MaxUnpool@9 kernel_shape=[2]",
            "n c l; int64 n c l; int64 r",
            "MaxUnpool_0 MaxUnpool_0_1 MaxUnpool_0_2",
            "",
        ),
        ("GlobalAveragePool@1", "n c h w", "n c 1 1", ""),
        ("MaxRoiPool@1 pooled_shape=[2,3]", "1 c h w; r 5", "r c 2 3", ""),
        ("RoiAlign@16 output_height=7", "n c h w; r k; int64 s", "r c 7 1", "k = 4; s = r"),
    ]);
}

#[test]
fn products() {
    check(&[
        ("MatMul@13", "b i k; k2 j", "b i j", "k2 = k"),
        ("MatMul@13", "b 1 i 4; c 4 j", "b c i j", ""),
        ("MatMul@13", "k; b k j", "b j", ""),
        ("MatMul@13", "4; 5", "", "never 4 = 5"),
        ("MatMulInteger@10", "uint8 i k; uint8 k j", "int32 i j", ""),
        ("QLinearMatMul@10", "uint8 i k; ; uint8; int8 k j; ; int8; ; uint8", "uint8 i j", ""),
        ("Gemm@13 transA=1 transB=1", "k i; j k; c", "i j", "c <= j"),
        ("Gemm@7", "b 4; 4 6; 6", "b 6", ""),
        ("Einsum@12 equation='bhid,bhjd->bhij'", "b h i d; b h j 64", "b h i j", "d ~ 64"),
        ("Einsum@12 equation='...ij,...jk'", "b 2 3; c 3 4", "b+c-min(b, c) 2 4", "b ~ c"),
        ("Einsum@12 equation='iij'", "3 3 j", "j", ""),
        ("Einsum@12 equation='ij->'", "3 j", "", ""),
        (
            "Einsum@12 equation='ij,j'",
            "3 j",
            "undefined Some(Attribute(\"equation\"))",
            "Attribute(\"equation\")",
        ),
        ("Det@11", "b m k", "b", "k = m"),
        ("com.microsoft::FusedMatMul@1 transB=1", "b i 8; j 8", "b i j", ""),
        ("com.microsoft::MatMulNBits@1 K=64 N=32", "b s k; uint8 32 2 16; 64", "b s 32", "k = 64"),
    ]);
}

#[test]
fn attention() {
    check(&[
        ("Attention@23", "b 8 l d; b 8 s d; b 8 s v", "b 8 l v", ""),
        (
            "Attention@23",
            "b 8 l d; b 2 s d; b 2 s v; l t; b 2 p d; b 2 p v",
            "b 8 l v; b 2 p+s d; b 2 p+s v; b 8 l p+s",
            "",
        ),
        (
            "Attention@24 q_num_heads=4 kv_num_heads=2",
            "b l 32; b s 16; b s 24",
            "b l 48; b 2 s 8; b 2 s 12",
            "",
        ),
        (
            "Attention@24 q_num_heads=3 kv_num_heads=2",
            "b l 32; b s 16; b s 24",
            "undefined Some(Attribute(\"q_num_heads\"))",
            "Attribute(\"q_num_heads\")",
        ),
        ("ai.onnx.preview::FlexAttention@1", "b h l d; b k s d; b k s v", "b h l v", "k | h"),
        ("TensorScatter@24", "b h m d; b h s d; int64 c", "b h m d", "c = b; m-s >= 0"),
        (
            "LinearAttention@27 q_num_heads=4 kv_num_heads=2",
            "b l 32; b l 16; b l 24",
            "b l 48; b 2 8 12",
            "",
        ),
        ("CausalConvWithState@27", "b c l; 6 1 4; 6; b 6 k", "b 6 l; b 6 3", "c = 6; k = 3"),
    ]);
}

#[test]
fn recurrent_networks() {
    check(&[
        (
            "LSTM@14 hidden_size=64",
            "t b 32; 1 256 32; 1 256 64; 1 512; -; 1 1 64; 1 1 64",
            "t 1 1 64; 1 1 64; 1 1 64",
            "b = 1",
        ),
        (
            "LSTM@14 hidden_size=64 layout=1 direction='bidirectional'",
            "b t 32; 2 256 32; 2 256 64",
            "b t 2 64; b 2 64; b 2 64",
            "",
        ),
        ("GRU@7", "t b i; 1 96 16; 1 96 32; -; int32 c", "t 1 b 32; 1 b 32", "i = 16; c = b"),
        ("RNN@7 hidden_size=8", "t b i; 1 8 4; 1 8 8; 1 h", "t 1 b 8; 1 b 8", "i = 4; h = 16"),
        (
            "GRU@7 hidden_size=64",
            "t b i; 1 96 16; 1 96 32",
            "t 1 b 64",
            "i = 16; never 64 = 32; never 96 = 192; never 96 = 192",
        ),
        (
            "com.microsoft::DynamicQuantizeLSTM@1 hidden_size=4",
            "t b 3; int8 1 3 16; int8 1 4 16",
            "t 1 b 4; 1 b 4",
            "",
        ),
    ]);
}

#[test]
fn norms() {
    check(&[
        ("BatchNormalization@15", "n c h w; 8; 8; 8; 8", "n 8 h w", "c = 8"),
        ("BatchNormalization@15 training_mode=1", "n 8; 8; 8; 8; 8", "n 8; 8; 8", ""),
        ("InstanceNormalization@6", "n c l; 4; 4", "n 4 l", "c = 4"),
        ("GroupNormalization@18 num_groups=4", "n c l; 4; 4", "n c l", "4 | c"),
        ("GroupNormalization@21 num_groups=4", "n c l; 8; 8", "n 8 l", "c = 8"),
        ("LayerNormalization@17", "b s d; 768; e", "b s 768", "d = 768; e <= 768"),
        ("LayerNormalization@17 axis=1", "b s d; 768", "b s 768; b 1 1; b 1 1", "d = 768"),
        (
            "Softmax@13 axis=3",
            "b s d",
            "undefined Some(NoAxis { axis: 3, rank: 3 })",
            "NoAxis { axis: 3, rank: 3 }",
        ),
        ("Dropout@7", "b s", "b s; b s", ""),
        ("Dropout@12", "b s", "b s; bool b s", ""),
        ("RandomNormal@1 shape=[2,3] dtype=11", "-", "double 2 3", ""),
        ("Multinomial@7 sample_size=5 dtype=7", "b c", "int64 b 5", ""),
        ("BitCast@26 to=6", "b s", "int32 b s", ""),
    ]);
}

#[test]
fn numbers_of_few_bits() {
    check(&[
        ("QuantizeLinear@13", "b c; 8; int8 8", "int8 b 8", "c = 8"),
        ("QuantizeLinear@13", "b c; 1; int8 1", "int8 b c", ""),
        (
            "QuantizeLinear@21 block_size=32 axis=1 output_dtype=3",
            "b c; b s",
            "int8 b c",
            "s = ceil(c/32)",
        ),
        ("DequantizeLinear@13 axis=0", "int8 b c; 8", "8 c", "b = 8"),
        ("DynamicQuantizeLinear@11", "b c", "uint8 b c; ; uint8", ""),
        ("onnx.brevitas::Quant@1", "b c; ; ; ", "b c", ""),
        (
            "com.microsoft::QLinearAdd@1",
            "uint8 b 1; ; uint8; uint8 c; ; uint8; ; uint8",
            "uint8 b c",
            "",
        ),
        (
            "com.microsoft::QLinearConcat@1 axis=1",
            "; uint8; uint8 b 2; ; uint8; uint8 b c; ; uint8",
            "uint8 b c+2",
            "",
        ),
    ]);
}

#[test]
fn signals() {
    check(&[
        ("STFT@17", "b s 1; =64; 256", "b floor(s/64)-3 129 2", "s-256 >= 0"),
        ("STFT@17 onesided=0", "b s; =64; -; =256", "b floor(s/64)-3 256 2", "s-256 >= 0"),
        ("DFT@17 onesided=1", "b s 1; =128", "b 65 2", ""),
        ("DFT@20 onesided=1 inverse=1", "b s 2", "b 2*s-2 1", ""),
        ("DFT@20 onesided=1", "b s 1; -; int64 ", "DFT_0 DFT_0_1 2", ""),
        ("DFT@20", "b s 1; -; int64 ", "b s 2", ""),
        ("DFT@20", "b s t 1; -; =1", "b s t 2", ""),
        ("HannWindow@17 output_datatype=11", "=10", "double 10", ""),
        ("MelWeightMatrix@17", "=8; =16; =8000; ; ", "9 8", ""),
        ("GridSample@20", "n c h w; m y x k", "n c y x", "m = n; k = 2"),
        ("AffineGrid@20", "n 2 3; =[2,3,5,6]", "2 5 6 2", "n = 2"),
        ("DepthToSpace@13 blocksize=2", "n c h w", "n c/4 2*h 2*w", "4 | c"),
        ("SpaceToDepth@13 blocksize=2", "n c h w", "n 4*c h/2 w/2", "2 | h; 2 | w"),
        (
            "ImageDecoder@20 pixel_format='Grayscale'",
            "uint8 l",
            "uint8 ImageDecoder_0 ImageDecoder_0_1 1",
            "",
        ),
    ]);
}

#[test]
fn learning() {
    check(&[
        (
            "ai.onnx.ml::LinearClassifier@1 classlabels_strings=['a','b','c']",
            "b 4",
            "string b; b 3",
            "",
        ),
        ("ai.onnx.ml::TreeEnsembleClassifier@3 classlabels_int64s=[0,1]", "4", "int64 1; 1 2", ""),
        ("ai.onnx.ml::TreeEnsembleRegressor@3 n_targets=3", "b f", "b 3", ""),
        ("ai.onnx.ml::OneHotEncoder@1 cats_int64s=[0,1,2]", "b f", "b f 3", ""),
        ("ai.onnx.ml::ArrayFeatureExtractor@1", "b f; int64 2", "b 2", ""),
        ("ai.onnx.ml::FeatureVectorizer@1", "b 3; c 4", "b 7", "c = b"),
        (
            "NegativeLogLikelihoodLoss@13 reduction='none'",
            "n c l; int64 m l; 8",
            "n l",
            "m = n; c = 8",
        ),
        ("SoftmaxCrossEntropyLoss@13", "n c; int64 n", "; n c", ""),
        ("ai.onnx.preview.training::Momentum@1", "; int64; a; b; a; b; a; b", "a; b; a; b", ""),
        ("TfIdfVectorizer@9 ngram_indexes=[0,4,2]", "int64 b l", "b 5", ""),
    ]);
}

#[test]
fn parts() {
    const MOST: i64 = i64::MAX;
    check(&[
        ("Split@13", "=[1,2,3]; =[1,2]", "int64 1; int64 2", ""),
        // Parts that together are longer than any tensor.
        (
            "Split@13",
            &format!("=[1,2,3]; =[{MOST},{MOST},{MOST}]"),
            &format!("int64 {MOST}; int64 {MOST}; int64 {MOST}"),
            &format!("never 3 = {}", 3 * i128::from(MOST)),
        ),
    ]);
}

#[test]
fn texts() {
    check(&[
        ("StringConcat@20", "b 1; c", "string b c", ""),
        ("StringNormalizer@10 stopwords=['a']", "1 c", "string 1 StringNormalizer_0", ""),
        ("StringNormalizer@10", "c", "c", ""),
        ("StringSplit@20", "b c", "string b c StringSplit_0; int64 b c", ""),
        ("RegexFullMatch@20", "b c", "bool b c", ""),
        ("ai.onnx.contrib::SentencepieceTokenizer@1", "b", "int32 SentencepieceTokenizer_0", ""),
    ]);
}
