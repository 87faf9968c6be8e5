//! What the check itself rests on: spellings mean the same, colours see what differs.

use std::collections::BTreeSet;

use lozenge::{Einsum as Operation, Session};

use crate::Generator;

use super::{
    apart,
    build::Built,
    colours::colours,
    draw::draw,
    model::{Einsum, Program, Step},
    names::Names,
    spelling::{Spelling, Transformation},
    templates::{SHAPES, SPECS, spelled},
    text::text,
};

fn einsum(spec: usize, sizes: &[(char, u64)], operands: &[usize]) -> Step {
    Step::Einsum(Einsum { spec, sizes: sizes.to_vec(), operands: operands.to_vec() })
}

#[test]
fn every_template_is_a_specification_whatever_its_labels_are() {
    for (spec, template) in SPECS.iter().enumerate() {
        let operands = vec![0; template.operands()];
        let program = Program { steps: vec![Step::Unknown, einsum(spec, &[], &operands)] };
        let mut rng = Generator::new(7, 0);
        let all =
            [Names::plain(&program), Names::reversed(&program), Names::random(&program, &mut rng)];
        for names in all {
            let text = template.spelled(|label| names.of_label(1, label));
            let captured: BTreeSet<String> = names.labels[1].values().cloned().collect();
            assert_eq!(captured.len(), template.labels().len(), "{text}");
            let sizes: Vec<(&str, u64)> = captured.iter().map(|name| (name.as_str(), 2)).collect();
            assert!(Operation::with(&text, &sizes).is_ok(), "{text}");
        }
    }
}

#[test]
fn parts_are_what_uses_and_names_connect() {
    // Two parts; the second program is a third one, though it is the same.
    let steps = vec![Step::Unknown, Step::Unknown, einsum(0, &[], &[0])];
    let program = Program { steps };
    assert_eq!(apart::parts(&program), [vec![1], vec![0, 2]]);
    let beside = apart::beside(&program, &program);
    assert_eq!(apart::parts(&beside), [vec![1], vec![0, 2], vec![4], vec![3, 5]]);
    assert!(apart::check(&beside).is_ok_and(|parts| parts == Some(4)));
}

#[test]
fn every_shape_is_one() {
    for shape in SHAPES {
        let text = spelled(shape, |kind, number| format!("{}{number}x", kind.to_lowercase()));
        assert!(Session::new().data("x", &text).is_ok(), "{text}");
    }
}

#[test]
fn a_spelling_has_every_step_once_after_those_it_refers_to() {
    let mut rng = Generator::new(7, 0);
    for _ in 0..50 {
        let program = draw(&mut rng).program;
        for transformation in Transformation::ALL {
            let Some(other) = Spelling::other(&program, transformation, &mut rng) else { continue };
            let mut done = BTreeSet::new();
            for place in &other.order {
                let uses = other.steps[*place].uses();
                assert!(uses.iter().all(|used| done.contains(used)), "{}", text(&other));
                assert!(done.insert(*place), "{}", text(&other));
                assert_eq!(other.steps[*place].normal(), program.steps[*place].normal());
            }
            assert_eq!(done.len(), program.steps.len());
        }
    }
}

#[test]
fn what_is_drawn_is_built() {
    let mut rng = Generator::new(7, 0);
    for _ in 0..50 {
        let program = draw(&mut rng).program;
        assert!(Built::new(&Spelling::plain(&program)).is_ok());
    }
}

#[test]
fn colours_see_uses_and_operands_and_given_sizes() {
    let square = |place| Step::Compose([place, place]);
    let alike = Program { steps: vec![Step::Unknown, Step::Unknown, square(0), square(1)] };
    let found = colours(&alike);
    assert_eq!((found[0], found[2]), (found[1], found[3]));

    let steps = vec![Step::Unknown, Step::Unknown, Step::Transpose(0), square(1)];
    let found = colours(&Program { steps });
    assert_ne!(found[0], found[1], "they are used otherwise");

    let steps = vec![Step::Unknown, Step::Number, Step::Transpose(0), Step::Transpose(1)];
    let found = colours(&Program { steps });
    assert_ne!(found[2], found[3], "their operands differ");

    let steps = vec![Step::Unknown, einsum(9, &[('i', 2)], &[0]), einsum(9, &[], &[0])];
    let found = colours(&Program { steps });
    assert_ne!(found[1], found[2], "one has its size given");
}

#[test]
fn colours_see_places_where_they_mean_something() {
    let steps = vec![Step::Unknown, Step::Unknown, Step::Compose([0, 1])];
    let found = colours(&Program { steps });
    assert_ne!(found[0], found[1]);
    let steps = vec![Step::Unknown, Step::Unknown, Step::Pointwise(0, vec![0, 1])];
    let found = colours(&Program { steps });
    assert_eq!(found[0], found[1]);
}

#[test]
fn colours_see_which_names_are_the_same() {
    let named = |name: &str| SHAPES.iter().position(|shape| *shape == name).unwrap_or_default();
    let [n0, mixed] = ["N0", "N0,N1"].map(named);
    let n1 = named("N1|2");
    assert!(n0 * mixed * n1 > 0, "the shapes are there");
    let steps = vec![Step::Data(n0), Step::Data(n0), Step::Data(n1)];
    let found = colours(&Program { steps });
    assert_eq!(found[0], found[1]);
    assert_ne!(found[0], found[2]);
}

#[test]
fn programs_are_written_in_the_syntax_of_the_book() {
    let two_three = SHAPES.iter().position(|shape| *shape == "2,3").unwrap_or_default();
    let steps = vec![
        Step::Data(two_three),
        Step::Number,
        einsum(9, &[('i', 2)], &[0]),
        Step::Pointwise(0, vec![2, 1]),
        Step::Same([2, 3]),
        Step::Set(super::model::SizeOf::Label(2, 'j'), 3),
    ];
    let written = text(&Spelling::plain(&Program { steps }));
    let expected = "data t000: 2,3\nnumber 1.5\nt002 = einsum \"ij => ji\" t000 {i=2}\n\
                    t003 = add t002 1.5\nsame t002 t003\nset t002.j = 3";
    assert_eq!(written, expected);
}
