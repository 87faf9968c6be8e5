//! The example that the solver's answer cannot be a substitution alone.

use lozenge_calculus::{
    constraint::Constraint,
    dim::Dim,
    judge::Judge,
    term::{DimTerm, DimVar, Grounding, Substitution},
    text::Names,
};
use lozenge_check::oracle::{Universe, extents, plain};

/// Whether `sub` models `constraint`: whether every grounding of it is a solution.
fn models(sub: &Substitution, constraint: &Constraint, universe: &Universe) -> bool {
    let substituted = constraint.relation.substitute(sub).with_origin(constraint.origin);
    let groundings = universe.dims().iter().flat_map(|a| {
        universe
            .dims()
            .iter()
            .map(|b| Grounding::new([(DimVar::new(0), *a), (DimVar::new(1), *b)], []))
    });
    groundings.into_iter().all(|ground| Judge::OneShot.satisfies(&ground, &substituted))
}

#[test]
fn no_principal_model() {
    let mut names = Names::new();
    let constraint: Constraint = names.parse("3_b ⊑ ?a").unwrap();
    let atom: Dim = names.parse("3_b").unwrap();
    let universe = Universe::new([atom, names.parse("5_b").unwrap()], 0);
    let alpha = names.dim_var("a").unwrap();

    let targets = universe.dims().iter().map(|dim| DimTerm::Dim(*dim));
    let targets = targets.chain([DimTerm::Var(alpha), DimTerm::Var(DimVar::new(1))]);
    let mut models: Vec<Substitution> = targets
        .map(|target| Substitution::bind_dim(alpha, target))
        .filter(|sub| models(sub, &constraint, &universe))
        .collect();
    models.sort();
    let [to_unit, to_atom] = models.as_slice() else { panic!("{models:?}") };
    assert_eq!(to_unit.dim(alpha.into()), Dim::Unit.into());
    assert_eq!(to_atom.dim(alpha.into()), atom.into());

    // Neither is below the other: no substitution takes one ground dimension to another one.
    let factors = |from: &Substitution, to: &Substitution| {
        let image = from.dim(alpha.into());
        universe.dims().iter().any(|dim| {
            let step = Substitution::bind_dim(DimVar::new(1), (*dim).into());
            step.dim(image) == to.dim(alpha.into())
        })
    };
    assert!(!factors(to_unit, to_atom) && !factors(to_atom, to_unit));
    assert!(factors(to_atom, to_atom));

    let store = [constraint];
    let solutions = plain::solutions(&universe, Judge::OneShot, &store);
    assert_eq!(solutions.len(), 2);
    assert_eq!(extents::solutions(&universe, Judge::OneShot, &store), solutions);
}
