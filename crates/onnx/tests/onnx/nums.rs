//! Numbers over names, as they are written. `lozenge-check` holds their arithmetic against values.

use lozenge_onnx::infer::{Num, Nums, Origin};

#[test]
fn equations_are_solved_without_common_factors() {
    let mut nums = Nums::default();
    let [batch, seq] = ["batch", "seq"].map(|name| nums.named(name, Origin::Input, 1));
    let all = nums.product([batch, seq, Num::Int(768)]);
    let one = nums.product([seq, Num::Int(768)]);
    assert_eq!(nums.equation_text(all, one), "batch = 1");
    let (name, num) = nums.solved(all, one).unwrap();
    assert_eq!((nums.name(name).unwrap().text.as_str(), num), ("batch", Num::ONE));
}
