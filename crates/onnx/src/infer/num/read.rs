//! Numbers read: at values of names, and as text.

use lozenge_calculus::size::{Requirement, SizeSymbol, Sizes};

use super::{Num, Nums};

impl Nums {
    /// What a number is where names have these values; none where one has none, or a division is
    /// not exact.
    pub fn value(&self, num: Num, name: &impl Fn(&str) -> Option<i64>) -> Option<i64> {
        let form = match num {
            Num::Int(n) => return Some(n),
            Num::Form(id) => &self.forms[id.0 as usize],
        };
        let value = self.sizes.value(form, &|atom| {
            let symbol = Sizes::symbol(atom)?;
            name(&self.names.get(symbol.index() as usize)?.text).map(Into::into)
        })?;
        i64::try_from(value).ok()
    }

    /// A number as it is written: `2*batch`, `floor((width-3)/2)+1`.
    pub fn text(&self, num: Num) -> String {
        match num {
            Num::Int(n) => n.to_string(),
            Num::Form(id) => {
                self.sizes.written(&self.forms[id.0 as usize], &|name| self.called(name))
            }
        }
    }

    /// An equation `a = b` as it is written, without common factors.
    pub fn equation_text(&mut self, a: Num, b: Num) -> String {
        let form = self.equation(a, b);
        let form = self.form(form);
        let requirement = Requirement::Zero(form);
        self.sizes.written_requirement(&requirement, &|name| self.called(name))
    }

    fn called(&self, name: SizeSymbol) -> String {
        self.names.get(name.index() as usize).map_or_else(String::new, |name| name.text.clone())
    }
}
