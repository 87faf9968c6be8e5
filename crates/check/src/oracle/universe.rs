//! The finite part of the algebra that is searched.

use lozenge_calculus::{
    constraint::{Constraint, Relation},
    dim::Dim,
    row::{Flanks, Row},
    term::{DimTerm, RowTerm},
};

/// Some dimensions, the claim-free unit always among them, and the rows over them up to a rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Universe {
    dims: Vec<Dim>,
    max_rank: usize,
}

impl Universe {
    /// The universe of the claim-free unit and these atoms, with rows up to `max_rank`.
    pub fn new(atoms: impl IntoIterator<Item = Dim>, max_rank: usize) -> Universe {
        let mut dims: Vec<Dim> = atoms.into_iter().chain([Dim::Unit]).collect();
        dims.sort();
        dims.dedup();
        Universe { dims, max_rank }
    }

    /// The universe of the atoms that `constraints` mention.
    pub fn of(constraints: &[Constraint], max_rank: usize) -> Universe {
        let in_row = |row: &RowTerm| row.flanks.flat().to_vec();
        let entries = constraints.iter().flat_map(|constraint| match &constraint.relation {
            Relation::Size(_) => vec![],
            Relation::DimEq(l, r) | Relation::DimIneq(l, r) => vec![*l, *r],
            Relation::RowEq(l, r) | Relation::RowIneq(l, r) => [in_row(l), in_row(r)].concat(),
        });
        Universe::new(entries.filter_map(DimTerm::ground), max_rank)
    }

    /// Its dimensions, in order, each once.
    pub fn dims(&self) -> &[Dim] {
        &self.dims
    }

    /// The highest rank of a row.
    pub fn max_rank(&self) -> usize {
        self.max_rank
    }

    /// The lengths of the two flanks of its rows, in increasing rank.
    pub fn extents(&self) -> Vec<Extent> {
        let of_rank = |rank| (0..=rank).map(move |lead| Extent { lead, trail: rank - lead });
        (0..=self.max_rank).flat_map(of_rank).collect()
    }

    /// All its rows.
    pub fn rows(&self) -> Vec<Row> {
        self.extents().into_iter().flat_map(|extent| self.rows_of(extent)).collect()
    }

    fn rows_of(&self, extent: Extent) -> Vec<Row> {
        let rank = extent.lead + extent.trail;
        let sequences = (0..rank).fold(vec![vec![]], |shorter, _| {
            let longer = |s: &Vec<Dim>| -> Vec<Vec<Dim>> {
                self.dims.iter().map(|dim| [s.as_slice(), &[*dim]].concat()).collect()
            };
            shorter.iter().flat_map(longer).collect::<Vec<_>>()
        });
        let split = |s: Vec<Dim>| Flanks::new(s[..extent.lead].to_vec(), s[extent.lead..].to_vec());
        sequences.into_iter().map(split).collect()
    }
}

/// The number of axes of a row variable on each side of its marker.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Extent {
    /// The length of the leading flank.
    pub lead: usize,
    /// The length of the trailing flank.
    pub trail: usize,
}
