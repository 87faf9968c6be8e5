//! Inference of dimensions and shapes: equations between them, and the shapes of operations.
//!
//! Each is a step of the session or a few, over tensors of the shapes that are given: `left` and
//! `right`, `input` and `output`, `shape_0`, `shape_1` and so on in messages.

use lozenge_calculus::term::RowTerm;

use super::{Dim, DimContext, DimVar, TensorShape};
use crate::{Kind, Report, Site, Tensor, explain::words::misuse};

impl DimContext {
    /// Asks that two dimensions are equal, and gives what both are.
    ///
    /// | | it is |
    /// |---|---|
    /// | a number and the same number | that |
    /// | a variable and another dimension | the other, and so is the variable; of two variables, the one that was made first |
    /// | a name and itself | that, with the values that both ranges have |
    /// | a name and a number | the number, if the range has it; then the name is that number wherever it stands |
    /// | `*` or `?` and another dimension | the other, a number, a name or a variable before `*`, and `*` before `?` |
    ///
    /// ```
    /// use lozenge::dims::{Dim, DimContext};
    ///
    /// let mut context = DimContext::new();
    /// let batch = Dim::ranged("batch", 1, 64);
    /// assert_eq!(context.unify_dims(&Dim::Dynamic, &batch)?, batch);
    /// assert!(context.unify_dims(&batch, &Dim::from(128)).is_err());
    /// assert_eq!(context.unify_dims(&batch, &Dim::from(32))?, Dim::Literal(32));
    /// assert_eq!(context.resolve(&batch), Dim::Literal(32));
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    ///
    /// # Errors
    /// When no size is both: `size-mismatch`, `out-of-range`, `range-empty`.
    #[track_caller]
    pub fn unify_dims(&mut self, left: &Dim, right: &Dim) -> Result<Dim, Report> {
        let [left, right] = [left, right].map(|dim| TensorShape::from([dim.clone()]));
        let unified = self.unify_shapes(&left, &right)?;
        Ok(unified.dims().first().unwrap_or(&left.dims()[0]).clone())
    }

    /// Asks that two shapes are equal, axis by axis, and gives what both are.
    ///
    /// # Errors
    /// When they have different numbers of axes, `rank-mismatch`, or axes that cannot be equal, as
    /// [`unify_dims`](DimContext::unify_dims) says.
    #[track_caller]
    pub fn unify_shapes(
        &mut self,
        left: &TensorShape,
        right: &TensorShape,
    ) -> Result<TensorShape, Report> {
        let site = self.here();
        self.attempt(|context| {
            let first = context.tensor(&site, "left", left)?;
            let second = context.tensor(&site, "right", right)?;
            context.session_at(&site).same_shape(first, second)?;
            context.read(first)
        })
    }

    /// The shape of a product of matrices: `[m, k] @ [k, n]` is `[m, n]`.
    ///
    /// # Errors
    /// When one of them is not a matrix, `rank-mismatch`, or what is summed over differs, as
    /// [`unify_dims`](DimContext::unify_dims) says.
    #[track_caller]
    pub fn infer_matmul_shape(
        &mut self,
        left: &TensorShape,
        right: &TensorShape,
    ) -> Result<TensorShape, Report> {
        let site = self.here();
        self.attempt(|context| {
            let left = context.tensor(&site, "left", left)?;
            let right = context.tensor(&site, "right", right)?;
            let product = context.session_at(&site).einsum("m, k; k, n => m, n", &[left, right])?;
            context.read(product)
        })
    }

    /// The shape that shapes are broadcast to, as NumPy does it: aligned at the end, where a 1
    /// stretches and other sizes are equal.
    ///
    /// Where it depends on a variable whether it is 1, nothing is chosen: the axis of the result is
    /// then a variable of its own.
    ///
    /// ```
    /// use lozenge::dims::{Dim, DimContext, TensorShape};
    ///
    /// let mut context = DimContext::new();
    /// let image = TensorShape::from([Dim::named("batch"), Dim::from(3), Dim::from(4)]);
    /// let [rows, columns] = [[3, 1], [1, 4]].map(|sizes| sizes.map(Dim::from).into());
    /// let all = context.infer_broadcast_shape(&[image, rows, columns])?;
    /// assert_eq!(all.to_string(), "[batch, 3, 4]");
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    ///
    /// # Errors
    /// When two sizes other than 1 differ, `size-mismatch`, or there is no shape, `operand-count`.
    #[track_caller]
    pub fn infer_broadcast_shape(&mut self, shapes: &[TensorShape]) -> Result<TensorShape, Report> {
        let site = self.here();
        self.attempt(|context| {
            let mut tensors = Vec::with_capacity(shapes.len());
            for (number, shape) in shapes.iter().enumerate() {
                tensors.push(context.tensor(&site, &format!("shape_{number}"), shape)?);
            }
            let result = context.session_at(&site).pointwise_numpy("broadcast", &tensors)?;
            context.name_unknown(&site, result, shapes)?;
            context.read(result)
        })
    }

    /// Asks that two shapes have the same number of elements. Where only the run can tell, that is
    /// [required](DimContext::requirements).
    ///
    /// # Errors
    /// When they have not, whatever the values of names are: `elements-mismatch`.
    #[track_caller]
    pub fn verify_reshape(
        &mut self,
        input: &TensorShape,
        output: &TensorShape,
    ) -> Result<(), Report> {
        let site = self.here();
        self.attempt(|context| {
            let input = context.tensor(&site, "input", input)?;
            let (text, captured) = context.written(output).map_err(|said| site.blame(said))?;
            context.session_at(&site).shaped("output", &text, &captured, Some(input))?;
            Ok(())
        })
    }

    /// The shape with two axes exchanged. Axes count from 0.
    ///
    /// # Errors
    /// When it has no such axes: `no-such-axis`.
    #[track_caller]
    pub fn infer_transpose_shape(
        &mut self,
        shape: &TensorShape,
        first: i64,
        second: i64,
    ) -> Result<TensorShape, Report> {
        let site = self.here();
        let rank = shape.rank();
        let [first, second] = [axis_of(&site, first, rank)?, axis_of(&site, second, rank)?];
        let mut exchanged = names(rank);
        exchanged.swap(first, second);
        let spec = format!("{} => {}", names(rank).join(", "), exchanged.join(", "));
        self.attempt(|context| {
            let input = context.tensor(&site, "input", shape)?;
            let output = context.session_at(&site).einsum(&spec, &[input])?;
            context.read(output)
        })
    }

    /// The shape without an axis, which is summed over, or with a 1 in its place. Axes count from
    /// 0.
    ///
    /// # Errors
    /// When it has no such axis: `no-such-axis`.
    #[track_caller]
    pub fn infer_reduction_shape(
        &mut self,
        shape: &TensorShape,
        axis: i64,
        keepdim: bool,
    ) -> Result<TensorShape, Report> {
        let site = self.here();
        let axis = axis_of(&site, axis, shape.rank())?;
        let mut left = names(shape.rank());
        left.remove(axis);
        let spec = format!("{} => {}", names(shape.rank()).join(", "), left.join(", "));
        self.attempt(|context| {
            let input = context.tensor(&site, "input", shape)?;
            let output = context.session_at(&site).einsum(&spec, &[input])?;
            let mut dims = context.read(output)?.dims().to_vec();
            if keepdim {
                dims.insert(axis, Dim::Literal(1));
            }
            Ok(TensorShape::new(dims))
        })
    }

    /// The rows of a tensor of this context, with what is known of them.
    fn row(&self, tensor: Tensor) -> Result<RowTerm, Report> {
        let number = self.session.number_of(tensor)?;
        Ok(self
            .session
            .inference
            .solver
            .resolved_row(&self.session.inference.program.row(number, Kind::Output)))
    }

    /// The shape of a tensor as far as it is known. An axis that is known by no variable is of `?`.
    fn read(&self, tensor: Tensor) -> Result<TensorShape, Report> {
        let row = self.row(tensor)?;
        let known = row.flanks.flat().iter().map(|term| self.known(*term));
        Ok(known.map(|dim| dim.unwrap_or(Dim::Broadcast)).collect())
    }

    /// Makes variables of those axes of a broadcast result that nothing is known of, where a
    /// variable is read. Where all that is read beside 1 is one variable, the axis is that.
    fn name_unknown(
        &mut self,
        site: &Site,
        result: Tensor,
        shapes: &[TensorShape],
    ) -> Result<(), Report> {
        let row = self.row(result)?;
        let rank = row.flanks.rank();
        let mut unknown: Vec<(usize, Option<DimVar>)> = vec![];
        for (axis, term) in row.flanks.flat().iter().enumerate() {
            let at_axis = |shape: &TensorShape| {
                let place = (axis + shape.rank()).checked_sub(rank)?;
                shape.dims().get(place).map(|dim| self.resolve(dim))
            };
            let read = shapes.iter().filter_map(at_axis).filter(|dim| *dim != Dim::Literal(1));
            let read: Vec<Dim> = read.collect();
            let var = read.iter().find_map(Dim::as_var);
            if let Some(var) = var.filter(|_| self.known(*term).is_none()) {
                let is_alone = read.iter().all(|dim| dim.as_var() == Some(var));
                unknown.push((axis, is_alone.then(|| var.clone())));
            }
        }
        if unknown.is_empty() {
            return Ok(());
        }
        let names = names(rank);
        let all = names.join(", ");
        let same = self.session_at(site).einsum(&format!("{all} => {all}"), &[result])?;
        for (axis, var) in unknown {
            let size = self.session_at(site).capture(same, &names[axis])?;
            match var {
                Some(var) => self.session_at(site).equal(size, var.size())?,
                None => drop(self.keep(size, None)),
            }
        }
        Ok(())
    }
}

/// The place of an axis of a shape with this many.
fn axis_of(site: &Site, axis: i64, rank: usize) -> Result<usize, Report> {
    let place = usize::try_from(axis).ok().filter(|place| *place < rank);
    place.ok_or_else(|| site.blame(misuse::no_such_axis(axis, rank)))
}

/// Names for the axes of a specification: `a` to `z`, then `a_1` and on.
fn names(rank: usize) -> Vec<String> {
    let name = |(round, letter): (usize, char)| {
        if round == 0 { letter.to_string() } else { format!("{letter}_{round}") }
    };
    (0..)
        .flat_map(|round| ('a'..='z').map(move |letter| (round, letter)))
        .map(name)
        .take(rank)
        .collect()
}
