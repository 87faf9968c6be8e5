//! Spelled programs as text, in the syntax of `docs/programs.md`: a block there can be pasted from
//! here.

use super::{
    model::Step,
    spelling::Spelling,
    templates::{self, SHAPES},
};

/// The whole program, a line a step.
pub fn text(spelling: &Spelling) -> String {
    let lines = spelling.order.iter().map(|place| line(spelling, *place));
    lines.collect::<Vec<_>>().join("\n")
}

fn line(spelling: &Spelling, place: usize) -> String {
    let names = &spelling.names;
    let name = &names.steps[place];
    let step = &spelling.steps[place];
    let shape = |shape: &usize| {
        templates::spelled(SHAPES[*shape], |kind, number| names.of_shape(kind, number))
    };
    let operands: Vec<&str> = step.uses().iter().map(|used| names.steps[*used].as_str()).collect();
    let all = operands.join(" ");
    match step {
        Step::Number => format!("number {name}"),
        Step::Data(text) => format!("data {name}: {}", shape(text)),
        Step::Unknown => format!("data {name}"),
        Step::Parameter(None) => format!("param {name}"),
        Step::Parameter(Some(text)) => format!("param {name}: {}", shape(text)),
        Step::Elements(count) => format!("data {name}: {count} elements"),
        Step::Array(axes) => {
            let axes: Vec<String> = axes.iter().map(u64::to_string).collect();
            format!("data {name}: axes {}", axes.join(" "))
        }
        Step::Size => format!("size {name}"),
        Step::Pointwise(number, _) => format!("{name} = {} {all}", names.operations[*number]),
        Step::Compose(_) => format!("{name} = {} * {}", operands[0], operands[1]),
        Step::ComposeAccumulate(_) => format!("{name} = compose_accumulate {all}"),
        Step::Transpose(_) => format!("{name} = transpose {all}"),
        Step::Einsum(einsum) => {
            let label = |label| names.of_label(place, label);
            let spec = einsum.template().spelled(label);
            let size = |(of, size): &(char, u64)| format!("{}={size}", label(*of));
            let sizes: Vec<String> = einsum.sizes.iter().map(size).collect();
            let sizes =
                if sizes.is_empty() { String::new() } else { format!(" {{{}}}", sizes.join(" ")) };
            format!("{name} = einsum \"{spec}\" {all}{sizes}")
        }
        Step::Reshape(None, _) => format!("{name} = reshape {all}"),
        Step::Reshape(Some(text), _) => format!("{name} = reshape {all} {}", shape(text)),
        Step::BitCast(from, to, _) => format!("{name} = bit_cast {from} {to} {all}"),
        Step::Same(_) => format!("same {all}"),
        Step::Square(_) => format!("square {all}"),
        Step::Set(size, number) => format!("set {} = {number}", spelling.size_name(*size)),
        Step::Equal(sizes) => {
            let [first, second] = sizes.map(|size| spelling.size_name(size));
            format!("equal {first} = {second}")
        }
        Step::Scale(factor, sizes) => {
            let [large, small] = sizes.map(|size| spelling.size_name(size));
            format!("scale {large} = {factor} * {small}")
        }
    }
}
