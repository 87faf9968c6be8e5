//! What a program is built with: terminals, operations, statements.

use std::{borrow::Cow, ops::RangeBounds, sync::Arc};

use super::{Session, SizeVar, Tensor};
use crate::{
    Report, Role,
    operation::{
        BitCast, Compose, ComposeAccumulate, Declare, Einsum, NameRange, NameSize, OfCaptured,
        Pointwise, RangeName, Reshape, SameInputOutput, SameShape, SameSize, ScaleSize, SetSize,
        Terminal, Transpose,
    },
    text::in_one_line,
};

/// Terminals.
impl Session {
    /// A number: one output axis `1_`, which stretches to anything.
    #[track_caller]
    pub fn number(&mut self, value: f64) -> Tensor {
        self.leaf(Terminal::number(value.to_string()))
    }

    /// Data of a shape, such as `batch|->28,28,3_rgb`. Where it has `_` or `...`, its uses say
    /// more.
    ///
    /// # Errors
    /// When the text is no shape.
    #[track_caller]
    pub fn data(&mut self, name: &str, shape: &str) -> Result<Tensor, Report> {
        self.apply(Terminal::data(name, shape), &[])
    }

    /// Data of known sizes, kind by kind: what a program has that has the data.
    ///
    /// # Errors
    /// When a size is 0.
    #[track_caller]
    pub fn data_of_sizes(
        &mut self,
        name: &str,
        batch: &[u64],
        input: &[u64],
        output: &[u64],
    ) -> Result<Tensor, Report> {
        self.apply(Terminal::data_of_sizes(name, batch, input, output), &[])
    }

    /// Data, or a constant, without a declared shape: it has the shape that its context asks for,
    /// no larger than all its uses allow.
    #[track_caller]
    pub fn constant(&mut self, name: &str) -> Tensor {
        self.leaf(Terminal::undeclared(name, Role::Leaf))
    }

    /// A parameter without batch axes, whose shape its uses must say.
    #[track_caller]
    pub fn parameter(&mut self, name: &str) -> Tensor {
        self.leaf(Terminal::undeclared(name, Role::Parameter))
    }

    /// A parameter of a shape. Where it has `_` or `...`, its uses must say more.
    ///
    /// # Errors
    /// When the text is no shape.
    #[track_caller]
    pub fn parameter_of(&mut self, name: &str, shape: &str) -> Result<Tensor, Report> {
        self.apply(Terminal::parameter(name, shape), &[])
    }

    /// Data of this many elements; its uses say in which shape.
    ///
    /// # Errors
    /// When there are none.
    #[track_caller]
    pub fn data_of_elements(&mut self, name: &str, count: u64) -> Result<Tensor, Report> {
        self.apply(Terminal::data_of_elements(name, count), &[])
    }

    /// An array with these axes in memory, in the order batch, output, input; its uses say which is
    /// which.
    ///
    /// # Errors
    /// When an axis has size 0.
    #[track_caller]
    pub fn data_in_memory(&mut self, name: &str, axes: &[u64]) -> Result<Tensor, Report> {
        self.apply(Terminal::data_in_memory(name, axes), &[])
    }

    /// Data of a shape without batch and input, in which these axes, written `_`, are captured
    /// sizes; with an operand, its elements in that shape.
    #[track_caller]
    pub(crate) fn shaped(
        &mut self,
        name: &str,
        shape: &str,
        axes: &[(usize, SizeVar)],
        operand: Option<Tensor>,
    ) -> Result<Tensor, Report> {
        let site = self.here();
        let mut captured = Vec::with_capacity(axes.len());
        for (axis, size) in axes {
            let [(_, var)] = self.sizes([*size], &site)?;
            captured.push((*axis, var));
        }
        let vars: Vec<_> = captured.iter().map(|(_, var)| *var).collect();
        let shaped = OfCaptured {
            name: name.into(),
            shape: shape.into(),
            captured,
            is_reshape: operand.is_some(),
        };
        let step = self.add(Arc::new(shaped), operand.as_slice(), &vars, site)?;
        Ok(self.brand.tensor(step))
    }

    /// A terminal that asks nothing, so nothing can refuse it.
    #[track_caller]
    fn leaf(&mut self, terminal: Terminal) -> Tensor {
        let step = self.add_free(Arc::new(terminal));
        self.brand.tensor(step)
    }
}

/// Operations.
impl Session {
    /// Arithmetic on each element, by any name; operands are broadcast.
    ///
    /// # Errors
    /// When the shapes do not broadcast, or there is no operand.
    #[track_caller]
    pub fn pointwise(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        operands: &[Tensor],
    ) -> Result<Tensor, Report> {
        self.apply(Pointwise::new(name), operands)
    }

    /// The same with NumPy's broadcasting, where an explicit 1 stretches as well: see
    /// [`Pointwise::numpy`].
    ///
    /// # Errors
    /// When the shapes do not broadcast, or there is no operand.
    #[track_caller]
    pub fn pointwise_numpy(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        operands: &[Tensor],
    ) -> Result<Tensor, Report> {
        self.apply(Pointwise::new(name).numpy(), operands)
    }

    /// `first * second`: what the second gives, the first takes.
    ///
    /// # Errors
    /// When it does not.
    #[track_caller]
    pub fn compose(&mut self, first: Tensor, second: Tensor) -> Result<Tensor, Report> {
        self.apply(Compose, &[first, second])
    }

    /// `first * second + third` in one operation.
    ///
    /// # Errors
    /// When the shapes do not fit.
    #[track_caller]
    pub fn compose_accumulate(
        &mut self,
        first: Tensor,
        second: Tensor,
        third: Tensor,
    ) -> Result<Tensor, Report> {
        self.apply(ComposeAccumulate, &[first, second, third])
    }

    /// What goes in comes out.
    ///
    /// # Errors
    /// When the handle is of another session.
    #[track_caller]
    pub fn transpose(&mut self, tensor: Tensor) -> Result<Tensor, Report> {
        self.apply(Transpose, &[tensor])
    }

    /// What a specification says: `ij; jk => ik`.
    ///
    /// # Errors
    /// When the text is no specification, or the shapes do not fit it.
    #[track_caller]
    pub fn einsum(&mut self, spec: &str, operands: &[Tensor]) -> Result<Tensor, Report> {
        if let Some(known) = self.einsums.get(spec) {
            let known = known.clone();
            return self.apply(known, operands);
        }
        let einsum = match Einsum::read(spec, &[]) {
            Ok(einsum) => einsum,
            Err(rejection) => return Err(self.here().blame(rejection)),
        };
        self.einsums.insert(spec.into(), einsum.clone());
        self.apply(einsum, operands)
    }

    /// What a specification says, with numbers for some of its names.
    ///
    /// # Errors
    /// When the text is no specification or has no such name, or the shapes do not fit it.
    #[track_caller]
    pub fn einsum_with(
        &mut self,
        spec: &str,
        numbers: &[(&str, u64)],
        operands: &[Tensor],
    ) -> Result<Tensor, Report> {
        match Einsum::read(spec, numbers) {
            Ok(einsum) => self.apply(einsum, operands),
            Err(rejection) => Err(self.here().blame(rejection)),
        }
    }

    /// The same elements in another shape, which its uses say.
    ///
    /// # Errors
    /// When the handle is of another session.
    #[track_caller]
    pub fn reshape(&mut self, tensor: Tensor) -> Result<Tensor, Report> {
        self.apply(Reshape::new(), &[tensor])
    }

    /// The same elements in this shape, in which `_` and `...` stand for what follows.
    ///
    /// # Errors
    /// When the text is no shape, or has another number of elements.
    #[track_caller]
    pub fn reshape_to(&mut self, tensor: Tensor, shape: &str) -> Result<Tensor, Report> {
        self.apply(Reshape::to(shape), &[tensor])
    }

    /// The same bits as elements of another width.
    ///
    /// # Errors
    /// When the bits do not fill them.
    #[track_caller]
    pub fn bit_cast(&mut self, tensor: Tensor, from: u64, to: u64) -> Result<Tensor, Report> {
        self.apply(BitCast::new(from, to), &[tensor])
    }
}

/// Statements, which constrain tensors and sizes that exist.
impl Session {
    /// Says which values a size by a name has, wherever it occurs; from 1 on, where nobody says
    /// anything. Ranges of several declarations intersect.
    ///
    /// ```
    /// use lozenge::Session;
    ///
    /// let mut session = Session::new();
    /// session.range("width", 64..=1024)?;
    /// let x = session.data("x", "batch,width")?;
    /// let w = session.data("w", "5")?;
    /// session.einsum("b o<+k; k => b o", &[x, w])?;
    /// // A window of 5 fits a width of 64 or more.
    /// assert_eq!(session.close()?.requirements().len(), 0);
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    ///
    /// # Errors
    /// When no value is left, or none that the program fits; or when the text is not a name.
    #[track_caller]
    pub fn range(&mut self, name: &str, range: impl RangeBounds<u64>) -> Result<(), Report> {
        let range = NameRange::new(&range, false);
        self.require(RangeName { name: name.into(), range }, &[])
    }

    /// Says the same, and that the program has to hold for all of these values: the name never
    /// becomes a number, and what is required of it has to follow from its range.
    ///
    /// # Errors
    /// As for [`Session::range`]; and when the program makes the name a number.
    #[track_caller]
    pub fn any(&mut self, name: &str, range: impl RangeBounds<u64>) -> Result<(), Report> {
        let range = NameRange::new(&range, true);
        self.require(RangeName { name: name.into(), range }, &[])
    }

    /// Declares that something holds of sizes by names, whoever runs the program: `8 divides seq`,
    /// `n >= m`, `n+m <= 512`. What follows from it is not [required](crate::Closed::requirements).
    /// A name that is declared equal to something, `total = past+seq`, is that wherever it stands.
    ///
    /// ```
    /// use lozenge::Session;
    ///
    /// let mut session = Session::new();
    /// session.declare("8 divides seq")?;
    /// let x = session.data("x", "seq,16")?;
    /// let y = session.reshape_to(x, "seq/4,64")?;
    /// assert_eq!(session.close()?.requirements().len(), 0);
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    ///
    /// # Errors
    /// When it holds for no values, or the program does not fit it; or when the text says nothing
    /// of sizes.
    #[track_caller]
    pub fn declare(&mut self, text: &str) -> Result<(), Report> {
        self.require(Declare(String::from(in_one_line(text)).into()), &[])
    }

    /// Asks that two tensors have the same shape.
    ///
    /// # Errors
    /// When they have not.
    #[track_caller]
    pub fn same_shape(&mut self, first: Tensor, second: Tensor) -> Result<(), Report> {
        self.require(SameShape, &[first, second])
    }

    /// Asks that what a tensor takes is what it gives.
    ///
    /// # Errors
    /// When it is not.
    #[track_caller]
    pub fn input_equals_output(&mut self, tensor: Tensor) -> Result<(), Report> {
        self.require(SameInputOutput, &[tensor])
    }

    /// Sets a captured size; of a row, the number of its elements.
    ///
    /// # Errors
    /// When it has another.
    #[track_caller]
    pub fn set(&mut self, size: SizeVar, number: u64) -> Result<(), Report> {
        let site = self.here();
        let [(name, var)] = self.sizes([size], &site)?;
        self.add(Arc::new(SetSize { name, var, size: number }), &[], &[var], site).map(|_| ())
    }

    /// Says that the captured size of an axis stays symbolic, by a name that is equal only to
    /// itself, as a shape has it: `seq_len`, or with a basis `c:rgb`.
    ///
    /// # Errors
    /// When it has a size, is of a row, or the text is not a name.
    #[track_caller]
    pub fn set_named(&mut self, size: SizeVar, symbol: &str) -> Result<(), Report> {
        let site = self.here();
        let [(name, var)] = self.sizes([size], &site)?;
        self.add(Arc::new(NameSize { name, var, symbol: symbol.into() }), &[], &[var], site)
            .map(|_| ())
    }

    /// Asks that two captured sizes are the same; of a row and an axis, that the row has as many
    /// elements.
    ///
    /// # Errors
    /// When they are not.
    #[track_caller]
    pub fn equal(&mut self, first: SizeVar, second: SizeVar) -> Result<(), Report> {
        let site = self.here();
        let [(one, a), (two, b)] = self.sizes([first, second], &site)?;
        self.add(Arc::new(SameSize { names: [one, two], vars: [a, b] }), &[], &[a, b], site)
            .map(|_| ())
    }

    /// Asks that `large = factor * small`.
    ///
    /// # Errors
    /// When it is not, the factor is 0, or one of them is a row.
    #[track_caller]
    pub fn scale(&mut self, factor: u32, large: SizeVar, small: SizeVar) -> Result<(), Report> {
        let site = self.here();
        let [(one, a), (two, b)] = self.sizes([large, small], &site)?;
        self.add(
            Arc::new(ScaleSize { factor, names: [one, two], vars: [a, b] }),
            &[],
            &[a, b],
            site,
        )
        .map(|_| ())
    }
}
