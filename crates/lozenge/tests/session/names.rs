//! The values of named sizes: ranges, and numbers that names have to be.

use lozenge::{Closed, Session, diagnostic::Code};

use crate::program::Program;

/// What is said first of a program, and the shapes of its tensors if it closes.
fn told(text: &str) -> (Option<Code>, Vec<String>) {
    let said = Program::said(text);
    let program = Program::build(text).ok();
    let closed = program.as_ref().and_then(|program| program.session.close().ok());
    let shapes = program.zip(closed).map_or(vec![], |(program, closed)| {
        let tensors = program.session.tensors();
        tensors.map(|tensor| closed.shape(tensor).unwrap().to_string()).collect()
    });
    (said.diagnostics.first().map(|said| said.code), shapes)
}

/// The program in every order of its lines in which each is behind those it uses.
fn in_all_orders(lines: &[&str]) -> Vec<String> {
    let name = |line: &str| -> Option<String> {
        let of = line.strip_prefix("data ").unwrap_or(line);
        of.split([' ', ':']).next().map(str::to_owned)
    };
    let made: Vec<Option<String>> = lines.iter().map(|line| name(line)).collect();
    let uses = |user: usize, used: usize| {
        let words = lines[user].split([' ', '"']).skip(1);
        !lines[user].starts_with("data")
            && words.clone().any(|word| made[used].as_deref() == Some(word))
    };
    let mut orders: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..lines.len() {
        let more = |order: &Vec<usize>| {
            let fits = |next: &usize| {
                !order.contains(next)
                    && (0..lines.len()).all(|used| !uses(*next, used) || order.contains(&used))
            };
            let next: Vec<usize> = (0..lines.len()).filter(fits).collect();
            let order = order.clone();
            next.into_iter().map(move |next| [&order[..], &[next]].concat())
        };
        orders = orders.iter().flat_map(more).collect();
    }
    let text =
        |order: &Vec<usize>| order.iter().map(|place| lines[*place]).collect::<Vec<_>>().join("\n");
    orders.iter().map(text).collect()
}

/// Everything that is said and found, by the names of tensors.
pub(crate) fn answer(text: &str) -> (Vec<Code>, Vec<String>) {
    let said = Program::said(text);
    let mut codes: Vec<Code> = said.diagnostics.iter().map(|said| said.code).collect();
    codes.sort_unstable();
    let Ok(program) = Program::build(text) else { return (codes, vec![]) };
    let Ok(closed) = program.session.close() else { return (codes, vec![]) };
    let shape = |tensor| {
        format!("{}: {}", program.session.display_name(tensor), closed.shape(tensor).unwrap())
    };
    let mut shapes: Vec<String> = program.session.tensors().map(shape).collect();
    shapes.extend(closed.requirements());
    shapes.sort_unstable();
    (codes, shapes)
}

/// Whatever the order of its lines, a program is refused, or closes to the same.
#[track_caller]
fn agrees_in_all_orders(lines: &[&str]) {
    let orders = in_all_orders(lines);
    assert!(orders.len() > 2);
    let first = answer(&orders[0]);
    for order in &orders {
        let found = answer(order);
        // Refused at another line, perhaps for the same on the way to it.
        let is_refused =
            |(codes, shapes): &(Vec<Code>, Vec<String>)| shapes.is_empty() && !codes.is_empty();
        assert_eq!(is_refused(&found), is_refused(&first), "{order}\n{}", Program::said(order));
        if !is_refused(&first) {
            assert_eq!(found, first, "{order}\n---\n{}", orders[0]);
        }
    }
}

#[test]
fn what_is_found_does_not_depend_on_when_it_was_noticed() {
    let programs: [&[&str]; 15] = [
        // The sum is broadcast unless n is 32.
        &["data a: n", "data b: 32", "data x", "y = x + a", "z = x + b", "same a b"],
        &[
            "data a: n",
            "data b: m",
            "data c: 8",
            "d = einsum \"i => i^3\" a",
            "same d c",
            "same b c",
        ],
        // Where the sum is broadcast was chosen before it shows that m is 3.
        &[
            "data a: n,m",
            "data b: 3,3",
            "c = einsum \"...|...->... => ...|...->...\" b",
            "d = a + c",
            "e = einsum \"a, ...; b, ... => a^b, ...\" a c",
        ],
        &[
            "data z: axes 3",
            "data a: n,m",
            "b = einsum \"i => ii\" z",
            "c = einsum \"...|...->... => ...|...->...\" b",
            "d = a + c",
            "e = einsum \"a, ...; b, ... => a^b, ...\" a c",
        ],
        &[
            "data z: axes 3",
            "data a: n,m",
            "data a2: n,m",
            "b = einsum \"i => ii\" z",
            "c = einsum \"...|...->... => ...|...->...\" b",
            "d = a2 + c",
            "e = einsum \"a, ...; b, ... => a^b, ...\" a c",
        ],
        &["data a: n,...", "data b: 1_", "c = neg a", "d = einsum \"2*o<+k; k => o\" a b {o=2}"],
        // Two and two are four, and so is m; that has nothing to do with the names.
        &[
            "data a: 2|3->4",
            "data b: 2",
            "c = einsum \"a; b => a^b\" b b",
            "d = einsum \"...|...->... => ...|...->0...\" b",
            "data e: n,m",
            "f = max c d e",
            "g = max a c",
        ],
        // No number says so: one window over one element.
        &[
            "data a: n,...",
            "data b: 1_",
            "c = einsum \"o<+k; k => o\" b a",
            "d = einsum \"a^b => a\" a",
            "e = neg d",
            "f = neg c",
        ],
        // With n = 3 everything fits, since n/3 would be one element; but nothing forces that.
        &[
            "data a: n",
            "b = einsum \"(h w) => h w\" a {h=3}",
            "c = relu b a",
            "d = einsum \"ij => ji\" b",
            "e = where d b",
        ],
        &["range n: 1..9", "data a: n", "b = einsum \"(i 8) => i\" a"],
        &["range n: 1..9", "range n: 4..", "data a: n", "data b: 6", "same a b"],
        &["range n: 1..4", "data a: n", "data b: 6", "same a b"],
        &["range n: 6..", "data a: n", "b = einsum \"1^i^3 => i\" a"],
        &["range n: 3..", "data a: n", "b = einsum \"1^i^3 => i\" a"],
        &["data a: n", "data b: 12", "c = reshape b 2,n", "d = reshape a 3,2"],
    ];
    for lines in programs {
        agrees_in_all_orders(lines);
    }
}

/// In a large program a name becomes a number where it stands, unless something followed from its
/// being another size.
#[test]
fn names_become_numbers_in_large_programs_too() {
    let padding: String =
        (0..400).fold("data pad: 7,5\n".to_owned(), |text, _| text + "pad = pad + pad\n");
    let programs = [
        "data a: n\ndata b: 32\nc = a + b\nd = neg c\ne = d + a",
        "data a: n,m\ndata b: 32,5\nc = a + b\ndata d: m,n\ne = transpose d",
        // The sum is broadcast unless n is 32.
        "data a: n\ndata b: 32\ndata x\ny = x + a\nz = x + b\nsame a b",
        "data a: n\ndata b: 32\ndata x\ny = x + b\nz = x + a\nsame b a\nw = x + x",
        "data a: n\nb = einsum \"i => i^2\" a\ndata c: 8\nsame a c\nd = neg b",
        "data a: n\ndata b: m\ndata c: 8\nsame a c\nsame b c\nd = a + b",
        "data a: n\ndata b: m\ndata c: 8\nsame b c\nsame a b",
        "data a: n\ndata b: 8\nsame a b\ndata c: 9\nsame a c",
        "data a: n,n\ndata b: 8,9\nsame a b",
    ];
    for program in programs {
        let (codes, shapes) = answer(program);
        let (large_codes, large_shapes) = answer(&format!("{padding}{program}"));
        assert_eq!(large_codes, codes, "{program}\n{}", Program::said(program));
        let of_program: Vec<String> =
            large_shapes.into_iter().filter(|shape| !shape.starts_with("pad")).collect();
        assert_eq!(of_program, shapes, "{program}");
    }
}

/// The same where a size is computed: which number mends what disagrees does not depend on which
/// step was last.
#[test]
fn a_number_is_found_for_a_name_in_every_order() {
    let programs: [&[&str]; 6] = [
        // Wherever the axes belong, there are eight elements.
        &["data a: axes 4 2 1", "b = einsum \"i... => ...i\" a", "c = reshape a n", "d = relu b"],
        // One element.
        &[
            "data a: ...|3",
            "data b",
            "data c: n,...",
            "d = relu b a",
            "e = where a",
            "f = add d d e",
            "g = einsum \"o<+k; k => o\" f c {o=3}",
        ],
        &[
            "data t",
            "data a: n,...",
            "data b: 4,3",
            "d = where a t b",
            "c = einsum \"a^b => a\" t {a=4 b=4}",
        ],
        &[
            "data t: ...",
            "data a: 3,...,n",
            "b = einsum \"o<+k => o\" t {k=2}",
            "c = where a t",
            "d = add b t",
            "e = einsum \"..r..; ..r.. => ..r..\" d a",
        ],
        // Where n is 2 for another reason, n-1 is one element, and is refused still.
        &[
            "data a: n,...",
            "b = add a",
            "data c: 2,...,_",
            "data d: 2,3_rgb",
            "e = einsum \"o<+k => o\" a {k=2}",
            "f = compose_accumulate b b c",
            "g = where e d",
        ],
        // Without the last line n is 2, 4 or 8: that says of which kind the axes are.
        &[
            "data a: axes 4 2 1",
            "b = einsum \"...|...->...i => ...|...->...\" a",
            "c = reshape b n",
            "d = einsum \"i... => ...i\" a",
        ],
    ];
    for lines in programs {
        agrees_in_all_orders(lines);
    }
}

/// The same of programs with too many orders: one line of each stands at every place behind its
/// own.
#[test]
fn it_does_not_matter_where_a_line_stands() {
    let programs: [(&[&str], usize); 2] = [
        // A number for n, and with it another place for a marker than the declared one.
        (
            &[
                "data u",
                "data t",
                "c = einsum \"...i; ...i => ...\" t u {i=4}",
                "data a: 3,...,n",
                "same t a",
                "data b: n,m",
                "d = transpose b",
                "e = d * c",
                "f = add b c",
                "g = where f",
                "h = exp g a f",
            ],
            4,
        ),
        // Where n and 2 meet there is one element; but n is 2.
        (
            &[
                "data t: 2|_",
                "data a: 2|_",
                "b = exp t",
                "c = where t",
                "same a c",
                "d = b * c",
                "e = reshape a n|2",
                "f = add e",
                "g = transpose f",
                "h = where b g",
                "same b f",
            ],
            4,
        ),
    ];
    for (lines, moved) in programs {
        let first = answer(&lines.join("\n"));
        assert!(!first.1.is_empty(), "{}", lines.join("\n"));
        for place in moved..lines.len() {
            let mut lines = lines.to_vec();
            let line = lines.remove(moved);
            lines.insert(place, line);
            assert_eq!(answer(&lines.join("\n")), first, "{}", lines.join("\n"));
        }
    }
}

/// Where deciding was put off, it shows when the program is closed that a name is a number.
#[test]
fn a_number_may_be_found_when_closing() {
    let text = "data a: 2,...,_\ndata b: n,...\nc = hush a a a\nd = c * c\ne = pine d\nf = mist a e\n\
                g = mist f c\nh = echo a g\ni = hush b h f";
    let program = Program::build(text).unwrap();
    let closed = program.session.close().unwrap();
    assert_eq!(closed.specialised().collect::<Vec<_>>(), [("n", 2)]);
    // What was built before has its loops, with the number.
    for tensor in program.session.tensors() {
        assert!(closed.shape(tensor).is_ok());
        assert!(program.session.record(&closed, tensor).is_ok());
    }
}

#[test]
fn a_refused_step_takes_its_numbers_back() {
    let mut session = Session::new();
    let a = session.data("a", "n,n").unwrap();
    let b = session.data("b", "8,9").unwrap();
    // n would be 8, and 9.
    assert!(session.same_shape(a, b).is_err());
    assert_eq!(session.shape(a).unwrap().to_string(), "n,n");
    let closed = session.close().unwrap();
    assert_eq!(closed.specialised().count(), 0);
    let c = session.data("c", "8,8").unwrap();
    session.same_shape(a, c).unwrap();
    assert_eq!(session.shape(a).unwrap().to_string(), "8,8");
    // What is declared later by that name is that number.
    let d = session.data("d", "n").unwrap();
    assert_eq!(session.close().unwrap().shape(d).unwrap().to_string(), "8");
    assert_eq!(session.close().unwrap().specialised().collect::<Vec<_>>(), [("n", 8)]);
}

#[test]
fn a_refused_range_changes_nothing() {
    let mut session = Session::new();
    let x = session.data("x", "width").unwrap();
    let y = session.einsum("(8 d) => d", &[x]).unwrap();
    assert!(session.range("width", 1..=7).is_err());
    assert!(session.range("width", 9..12).is_err());
    let requirements = |closed: Closed| closed.requirements().collect::<Vec<_>>();
    assert_eq!(requirements(session.close().unwrap()), ["8 divides width"]);
    session.range("width", 8..=15).unwrap();
    let closed = session.close().unwrap();
    assert_eq!(closed.shape(y).unwrap().to_string(), "1");
    assert_eq!(closed.specialised().collect::<Vec<_>>(), [("width", 8)]);
}

#[test]
fn values_outside_of_a_range_are_no_values() {
    let mut session = Session::new();
    session.range("batch", 1..=64).unwrap();
    let x = session.data("x", "batch,n").unwrap();
    let n = session.data("y", "10").unwrap();
    session.einsum("b i; i => b", &[x, n]).unwrap();
    let closed = session.close().unwrap();
    assert_eq!(closed.at(&[("batch", 128)]).unwrap_err(), ["batch in 1..64"]);
    assert_eq!(closed.at(&[("n", 11)]).unwrap_err(), ["n = 10"]);
    let at = closed.at(&[("batch", 64), ("n", 10)]).unwrap();
    assert_eq!(at.shape(x).unwrap().to_string(), "64,10");
}

/// An equation between names is refused in every order, also behind lines that make one or both of
/// them numbers.
#[test]
fn different_names_are_different_sizes() {
    // Wherever rows are broadcast, n meets m or a number that neither is.
    let broadcast = [
        "data t",
        "data a: 3,...,n",
        "same t a",
        "data b: n,m",
        "c = einsum \"...i => i...\" t {i=2}",
        "d = b + c",
    ];
    let with = |lines: &[&'static str]| [&broadcast, lines].concat();
    let programs: [&[&str]; 8] = [
        &["data a: n", "data b: m", "data c: 8", "same b c", "same a b"],
        &["data a: n", "data b: m", "data c: 8", "same b c", "same a c", "same a b"],
        &["data a: n", "data b: m", "data c: 8", "d = c + a", "e = d + b"],
        &[
            "data a: n",
            "data b: m",
            "data c: 8",
            "d = einsum \"i => i^3\" a",
            "same d b",
            "same b c",
        ],
        &[
            "data a: n,2",
            "data b: 2,m",
            "data c: 3,3",
            "d = einsum \"ij; jk => ik\" a b",
            "e = d + c",
            "same a b",
        ],
        &with(&["e = a + d"]),
        &with(&["e = where d", "f = exp e a d"]),
        &with(&["e = where d", "f = exp d e a"]),
    ];
    for lines in programs {
        for order in in_all_orders(lines) {
            let (codes, shapes) = answer(&order);
            assert!(shapes.is_empty(), "{order}");
            assert_eq!(codes, [Code::SizeMismatch], "{order}\n{}", Program::said(&order));
        }
    }
    // Each is that number by itself.
    let (code, shapes) = told("data a: n\ndata b: m\ndata c: 8\nsame a c\nsame b c");
    assert_eq!((code, shapes), (Some(Code::SpecialisedSize), vec!["8".to_owned(); 3]));
    let said = Program::said("data a: n\ndata b: m\ndata c: 8\nsame b c\nsame a b").to_string();
    assert!(said.contains("`a` is n, output axis 0 of `b` is m"), "{said}");
}

/// A range comes and goes with the step that says it, and so does what follows from it.
#[test]
fn a_refused_step_takes_its_ranges_back() {
    let mut session = Session::new();
    let x = session.data("x", "n").unwrap();
    let y = session.einsum("(8 d) => d", &[x]).unwrap();
    let z = session.data("z", "12").unwrap();
    let before = session.close().unwrap();
    // n would be 8 with that range; and 12 elements are no 5 by anything.
    assert!(session.reshape_to(z, "5,n:8..15").is_err());
    let closed = session.close().unwrap();
    assert_eq!(closed.shape(y).unwrap(), before.shape(y).unwrap());
    assert_eq!(closed.specialised().count(), 0);
    assert!(closed.at(&[("n", 16)]).is_ok());
    let w = session.data("w", "16").unwrap();
    session.same_shape(x, w).unwrap();
    assert_eq!(session.close().unwrap().shape(y).unwrap().to_string(), "2");
}

/// Nothing that is chosen makes a name a number.
#[test]
fn only_force_makes_a_name_a_number() {
    let chosen = "data a: n\ndata b: 32\ndata x\ny = x + a\nz = x + b";
    let (code, shapes) = told(chosen);
    assert_ne!(code, Some(Code::SpecialisedSize));
    assert_eq!(shapes[0], "n");
    let (code, _) = told("data a: n\ndata b: m\nc = a + b");
    assert_eq!(code, Some(Code::SizeMismatch));
}
