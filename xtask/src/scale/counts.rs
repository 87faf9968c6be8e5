//! What can be counted of large programs: the same on every machine and at every time.

use clap::ValueEnum;
use lozenge::{Session, project::Record};
use lozenge_solve::Solver;

use super::{
    forms::{Form, name},
    loops, open,
};

/// What is counted of a program, each with what it is called.
pub(crate) type Counts = Vec<(&'static str, u64)>;

/// The counts of every program of so many operations: as bare constraints, in a session, and with
/// open sizes.
pub(crate) fn counts(ops: u32) -> anyhow::Result<Vec<(String, Counts)>> {
    let mut all = vec![];
    for form in Form::value_variants() {
        let program = form.build(ops)?;
        let counts = vec![
            ("operations", program.ops.into()),
            ("steps", program.solver.stats().steps()),
            ("rows", program.rows.into()),
            ("axes", program.axes),
        ];
        all.push((format!("constraints {}", name(*form)), counts));
    }
    for (name, build) in loops::FORMS {
        all.push((format!("session {name}"), of_session(&build(ops)?.session)?));
    }
    for opened in open::sessions(ops) {
        let (name, session) = opened?;
        all.push((format!("open {name}"), of_session(&session)?));
    }
    Ok(all)
}

/// What is counted of a program in a session: also of its shapes and loops.
fn of_session(session: &Session) -> anyhow::Result<Counts> {
    let constraints: Vec<_> = session.constraints().collect();
    // The solver of a session cannot be seen: another one takes the same constraints.
    let mut solver = Solver::new();
    solver.extend(&constraints)?;
    let closed = session.close()?;
    let [mut axes, mut loops, mut factors, mut mapped] = [0; 4];
    let count = |count: usize| count as u64;
    for tensor in session.tensors() {
        axes += count(closed.shape(tensor)?.rank());
        let Ok(record) = session.record(&closed, tensor) else { continue };
        let of = |record: &Record| record.slots().map(|slot| record.map(slot).len()).sum();
        loops += count(record.loops().count());
        factors += count(record.factors().len());
        mapped += count(of(&record));
    }
    Ok(vec![
        ("constraints", count(constraints.len())),
        ("steps", solver.stats().steps()),
        ("axes", axes),
        ("loops", loops),
        ("factors", factors),
        ("index-maps", mapped),
        ("requirements", count(closed.requirements().len())),
    ])
}
