//! What a session leaves out: warnings and notes that somebody has read and means, and errors about
//! parameters whose uses were refused.

use lozenge_diagnostic::Code;

use super::{Session, Tensor};
use crate::{Report, Role, explain::words};

impl Session {
    /// Leaves a warning or a note out of what [closing](Session::close) says, from now on. A clone
    /// of the session leaves it out too.
    ///
    /// ```
    /// use lozenge::{Session, diagnostic::Code};
    ///
    /// let mut session = Session::new();
    /// let x = session.data("x", "8,8,32")?;
    /// let bias = session.parameter("bias");
    /// session.pointwise("+", &[x, bias])?;
    /// assert_eq!(session.close()?.notes()[0].code, Code::PointwiseParameter);
    /// session.allow(Code::PointwiseParameter)?;
    /// assert!(session.close()?.notes().is_empty());
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    ///
    /// # Errors
    /// When the code is that of an error, which stays one.
    #[track_caller]
    pub fn allow(&mut self, code: Code) -> Result<(), Report> {
        if !code.can_be_allowed() {
            return Err(words::allowed_error(&self.here(), code));
        }
        self.inference.allowed.insert(code);
        Ok(())
    }

    /// Has closing take a parameter for data, of which nothing has to say the shape: whoever goes
    /// on after a refusal does not want to be told again what the refused operation would have
    /// said.
    pub fn excuse(&mut self, tensor: Tensor) {
        let Some(number) = self.known_number(tensor) else { return };
        for leaf in self.inference.program.leaves.iter_mut().filter(|leaf| leaf.step == number) {
            leaf.role = Role::Leaf;
        }
    }
}
