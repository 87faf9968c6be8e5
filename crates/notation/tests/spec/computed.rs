//! Computed sizes in shapes: `2*batch`, `(n+m)/2`.

use lozenge_diagnostic::Code;
use lozenge_notation::{Computed, DimForm, Kind, Shape, parse_shape};

#[test]
fn a_size_may_be_computed() {
    let texts = [
        "2*batch,784",
        "past+seq|heads*dim->n-1",
        "(n+m)/2,3",
        "n/2/2*3",
        "2*(n-(m+1))",
        "n/(2*m),...,1_",
        "3_rgb,2*n",
    ];
    for text in texts {
        let shape: Shape = text.parse().unwrap();
        assert_eq!(shape.to_string(), text);
    }
    for text in ["2 * batch , 784", "2*batch 784", "(2*batch) 784", "(2)*batch,784"] {
        let shape: Shape = text.parse().unwrap();
        assert_eq!(shape.to_string(), "2*batch,784", "{text}");
    }
}

#[test]
fn what_stands_to_the_left_comes_first() {
    let shape: Shape = "a*b/c/d-e+2".parse().unwrap();
    let (_, dims) = shape.dims(shape.row(Kind::Output));
    let DimForm::Computed(id) = dims[0].form else { panic!() };
    let Computed::Sum(terms) = shape.computed(id) else { panic!() };
    assert_eq!(terms.iter().map(|(minus, _)| *minus).collect::<Vec<_>>(), [false, true, false]);
    let Computed::Quotient(of, by) = shape.computed(terms[0].1) else { panic!() };
    assert!(matches!(shape.computed(*of), Computed::Product(factors) if factors.len() == 2));
    assert_eq!(by.len(), 2);
}

#[test]
fn what_is_no_computed_size_is_refused() {
    let code = |text: &str| parse_shape(text).diagnostics.first().map(|said| said.code);
    for (text, wanted) in [
        ("2*", Code::MissingTerm),
        ("2*,3", Code::MissingTerm),
        ("n+*2", Code::MissingTerm),
        ("2*_", Code::MissingTerm),
        ("2*1_", Code::MissingTerm),
        ("n/...", Code::MissingTerm),
        ("*2", Code::StraySign),
        ("**", Code::StraySign),
        ("?*2", Code::StraySign),
        ("*n*2", Code::StrayBasis),
        ("/2", Code::UnexpectedCharacter),
        ("-2", Code::NegativeNumber),
        ("n*-2", Code::MissingTerm),
        ("2*n:rgb", Code::StrayBasis),
        ("3_rgb*n", Code::StrayBasis),
        ("n:1..4*2", Code::StrayBasis),
        ("any n*2", Code::StrayBasis),
        ("2*n:1..4", Code::StrayBasis),
        ("n*0", Code::ZeroPart),
        ("0*n", Code::ZeroPart),
        ("2,(h w)", Code::SpecForShape),
        ("2,(n+1", Code::SpecForShape),
        ("(n+1)", Code::BracketedShape),
        ("(n+1, 2)", Code::BracketedShape),
        ("..n..,2*n", Code::NameClash),
    ] {
        assert_eq!(code(text), Some(wanted), "{text}");
    }
    // Merged axes as a specification has them.
    let edited = |text: &str| {
        let said = parse_shape(text).diagnostics.remove(0);
        said.helps.first().map(|help| help.apply(text))
    };
    for (text, wanted) in [
        ("(b s),64", Some("b*s,64")),
        ("2,(h w c)", Some("2,h*w*c")),
        ("n/(b s)", Some("n/(b*s)")),
        ("2,(b 3_rgb)", None),
        ("2,(b _)", None),
        ("2,(b 0)", None),
    ] {
        assert_eq!(edited(text).as_deref(), wanted, "{text}");
        assert!(wanted.is_none_or(|wanted| code(wanted).is_none()), "{text}");
    }
    let deep = format!("2*{}n{}", "(".repeat(1000), ")".repeat(1000));
    assert_eq!(code(&deep), Some(Code::TooManyTerms));
    assert_eq!(code(&format!("n{}", "/2*3".repeat(1000))), Some(Code::TooManyTerms));
    // What is long is not deep.
    for long in ["/2", "*2", "+2", "-2"] {
        assert_eq!(code(&format!("n{}", long.repeat(10_000))), None);
    }
}
