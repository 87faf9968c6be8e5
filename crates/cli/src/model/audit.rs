//! `lozenge audit`: the axes that broadcasting stretches.

use std::process::ExitCode;

use lozenge_onnx::infer::{
    answer::{Stretch, audit, audit_report},
    counted,
};

use super::{
    args::{Audit, Deny, Form},
    file::with_model,
    show,
};
use crate::output;

/// How many are printed by default.
const FEW: usize = 20;

pub(crate) fn run(args: &Audit) -> ExitCode {
    with_model(&args.of.file, &args.of.look, |loaded, _, inferred| {
        let all = audit(inferred);
        let (stored, computed): (Vec<Stretch>, Vec<Stretch>) =
            all.into_iter().partition(|stretch| stretch.is_stored && !args.of.all);
        // Those that are likely mistakes first.
        let mut computed = computed;
        computed.sort_by_key(|stretch| (!stretch.is_mutual, !stretch.is_open));
        let report = audit_report(inferred, &computed);
        let mutual = computed.iter().filter(|stretch| stretch.is_mutual).count();
        let open = computed.iter().filter(|stretch| stretch.is_open).count();
        let most = if args.of.all { usize::MAX } else { FEW };
        match args.of.look.format {
            Form::Full => {
                show::report(&report, loaded.path(), Form::Concise, most);
                let more = match open {
                    0 => String::new(),
                    open => format!("; {open} more may be, as sizes are open"),
                };
                let said = match computed.len() - open {
                    0 => "no axis of a computed value is stretched".to_owned(),
                    count => format!(
                        "broadcasting stretches {} of computed values, {mutual} of them together with the other value",
                        counted(count, "axis").replace("axiss", "axes")
                    ),
                };
                output::answer(&format!("{}: {said}{more}", loaded.name()));
                if !stored.is_empty() {
                    output::answer(&format!(
                        "{} of or to stored weights are left out; `--all` shows them",
                        counted(stored.len(), "stretch").replace("stretchs", "stretches")
                    ));
                }
            }
            format => show::report(&report, loaded.path(), format, usize::MAX),
        }
        let is_denied = match args.deny {
            None => false,
            Some(Deny::Both) => mutual > 0,
            Some(Deny::Any) => !computed.is_empty(),
        };
        if is_denied { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    })
}
