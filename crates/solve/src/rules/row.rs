//! The rule that a row constraint falls under, as its sides stand.

use crate::{
    reading::view::View,
    rules::{row_eq::row_eq, row_ineq::row_ineq, step::RowVerdict},
    tables::{
        ids::GivenId,
        list::Tables,
        node::{Progress, Sign},
        rule::Class,
    },
};

impl Tables {
    /// What the rules say of a row constraint whose sides stand as `left` and `right`.
    pub(crate) fn row_verdict(
        &self,
        relation: Sign,
        progress: Progress,
        left: &View,
        right: &View,
    ) -> RowVerdict {
        let (front, back) = (usize::from(progress.front), usize::from(progress.back));
        let (left, right) = (left.side(front, back), right.side(front, back));
        match relation {
            Sign::Eq => row_eq(self, left, right),
            Sign::Ineq => row_ineq(self, left, right),
            // Where the marker stands is said, so nothing is chosen.
            Sign::Is => RowVerdict { class: Class::Semantic, ..row_eq(self, left, right) },
        }
    }

    /// What the rules say of a given row constraint as it stands.
    pub(crate) fn verdict_of(&self, given: GivenId) -> RowVerdict {
        let related = self.givens.row_given_of(given);
        let (left, right) = (self.rows.view(related.left), self.rows.view(related.right));
        self.row_verdict(related.relation, self.givens.progress.get(given), &left, &right)
    }
}
