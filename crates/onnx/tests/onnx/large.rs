//! Numbers at the ends of what a file can write: sizes below 0 and up to 2^63, and attributes that
//! are no index. None of them is taken for another number.

use lozenge_onnx::{
    Model,
    infer::{Options, answer::cost, infer},
};

use crate::{
    custom,
    encode::message,
    operators::{check, file},
};

#[test]
fn sizes_of_inputs() {
    check(&[
        // A size below 0 is not known, whatever it is.
        ("Identity@14", "-1 -9223372036854775808", "i0_0 i0_1", ""),
        ("Identity@14", "9223372036854775807 2", "9223372036854775807 2", ""),
        ("Size@13", "9223372036854775807 9223372036854775807", "int64", ""),
        ("Flatten@13 axis=0", "9223372036854775807 2", "1 18446744073709551614", ""),
        ("Concat@13 axis=0", "9223372036854775807; 1", "9223372036854775808", ""),
        (
            "Reshape@13",
            "n; =[9223372036854775807,9]",
            "9223372036854775807 9",
            "never n = 83010348331692982263",
        ),
        ("Expand@13", "1; =[9223372036854775807]", "9223372036854775807", ""),
    ]);
}

#[test]
fn indices_and_attributes() {
    check(&[
        ("Gather@13", "n; =9223372036854775807", "undefined Some(Elements(1))", "Elements(1)"),
        ("Gather@13", "n; =-9223372036854775808", "undefined Some(Elements(1))", "Elements(1)"),
        (
            "GatherND@12 batch_dims=-1",
            "n 3; m 1",
            "undefined Some(Attribute(\"batch_dims\"))",
            "Attribute(\"batch_dims\")",
        ),
        (
            "Slice@13",
            "n; =[9]; =[0]; =[0]; =[-9223372036854775808]",
            "ceil(min(n-1, 9)/9223372036854775807)",
            "",
        ),
        ("StringSplit@20 maxsplit=9223372036854775807", "string n", "string n StringSplit_0", ""),
        (
            "TfIdfVectorizer@9 ngram_indexes=[9223372036854775807]",
            "string n",
            "undefined Some(Attribute(\"ngram_indexes\"))",
            "Attribute(\"ngram_indexes\")",
        ),
        ("Shape@15 start=-9223372036854775808 end=9223372036854775807", "n 3", "int64 2", ""),
        ("Split@18 axis=0 num_outputs=9223372036854775807", "n", "n", ""),
    ]);
}

#[test]
fn positions_in_rules() {
    custom::check(&[
        ("org.own::Own: 5000000000, b => b", "", "n 3", "3", "n-5000000001 >= 0"),
        ("org.own::Own: 9223372036854775807, b => b", "", "n 3", "3", "n-9223372036854775808 >= 0"),
        ("org.own::Own: 5000000000*i+4999999999 => i", "", "n", "n/5000000000", "5000000000 | n"),
    ]);
}

/// A weight whose elements nobody can count is not one of no elements.
#[test]
fn weights_of_more_elements_than_can_be_counted() {
    let mut bytes = file("Relu@14", "n", 1);
    let weight = message().text(8, "w").int(2, 1).int(1, i64::MAX).int(1, i64::MAX);
    bytes.extend(message().nest(7, message().nest(5, weight)).0);
    let model = Model::read(&bytes).unwrap();
    let cost = cost(&mut infer(&model, &Options::default()));
    assert_eq!((cost.parameters, cost.unsized_values), (0, 1));
}
