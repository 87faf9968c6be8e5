"""Writes the small models of the tests: each with one mistake, or one question. Needs `onnx`."""

from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).parent


def write(name, nodes, inputs, outputs, weights=(), opset=17, declared=()):
    value = lambda pair: helper.make_tensor_value_info(pair[0], TensorProto.FLOAT, pair[1])
    weights = [numpy_helper.from_array(np.asarray(data), tensor) for tensor, data in weights]
    graph = helper.make_graph(nodes, name, [value(i) for i in inputs], [value(o) for o in outputs], weights, value_info=[value(o) for o in declared])
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.example", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    (HERE / f"{name}.onnx").write_bytes(model.SerializeToString(deterministic=True))


node = helper.make_node
floats = lambda *dims: np.zeros(dims, np.float32)
ints = lambda *values: np.array(values, np.int64)

image = [("image", ["batch", 3, "height", "width"])]
classes = [("classes", None)]
head = [
    node("Conv", ["image", "conv.weight"], ["features"], name="conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
    node("Relu", ["features"], ["positive"], name="relu"),
    node("GlobalAveragePool", ["positive"], ["pooled"], name="pool"),
    node("Flatten", ["pooled"], ["flat"], name="flatten"),
]
conv = ("conv.weight", floats(64, 3, 3, 3))
last = node("Gemm", ["flat", "fc.weight", "fc.bias"], ["classes"], name="fc", transB=1)

write("fits", [*head, last], image, classes, [conv, ("fc.weight", floats(10, 64)), ("fc.bias", floats(10))])
write("transposed", [*head, last], image, classes, [conv, ("fc.weight", floats(64, 10)), ("fc.bias", floats(10))])
write(
    "reshape",
    [*head, node("Reshape", ["flat", "heads.shape"], ["heads"], name="split_heads"), node("Softmax", ["heads"], ["classes"], name="softmax")],
    [("image", [1, 3, 32, 32])], classes, [conv, ("heads.shape", ints(1, 4, 15))],
)
write(
    "baked",
    [
        node("Shape", ["tokens"], ["shape"], name="shape"),
        node("MatMul", ["tokens", "query.weight"], ["query"], name="query"),
        node("Reshape", ["query", "heads.shape"], ["heads"], name="split_heads"),
        node("Transpose", ["heads"], ["turned"], name="turn", perm=[0, 2, 1, 3]),
        node("Reshape", ["turned", "merged.shape"], ["classes"], name="merge_heads"),
    ],
    [("tokens", [1, 8, 64])], classes,
    [("query.weight", floats(64, 64)), ("heads.shape", ints(1, 8, 4, 16)), ("merged.shape", ints(1, 4, 128))],
)
write(
    "pyramid",
    [
        node("Conv", ["image", "down1.weight"], ["half"], name="down1", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Conv", ["half", "down2.weight"], ["quarter"], name="down2", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Resize", ["quarter", "", "scales"], ["up"], name="up", mode="nearest"),
        node("Concat", ["up", "half"], ["classes"], name="join", axis=1),
    ],
    image, classes, [("down1.weight", floats(8, 3, 3, 3)), ("down2.weight", floats(8, 8, 3, 3)), ("scales", np.array([1, 1, 2, 2], np.float32))],
)
write(
    "heads",
    [node("Reshape", ["tokens", "heads.shape"], ["classes"], name="split_heads")],
    [("tokens", ["batch", "length", 360])], classes, [("heads.shape", ints(0, -1, 3, 8, 16))],
)
write("short", [node("MaxPool", ["signal"], ["classes"], name="pool", kernel_shape=[5])], [("signal", ["batch", 8, 3])], classes)
write("no_input", [node("Add", ["signal", ""], ["classes"], name="add")], [("signal", ["batch", 3])], classes)
write("attribute", [node("Transpose", ["signal"], ["classes"], name="turn", perm=[0, 1])], [("signal", ["batch", 8, 3])], classes)
write("undefined", [node("Relu", ["features"], ["classes"], name="relu")], [("signal", ["batch", 3])], classes)
write("custom", [node("Quantum", ["signal"], ["state"], name="leap", domain="com.example"), node("Relu", ["state"], ["classes"], name="relu")], [("signal", ["batch", 3])], classes)
write(
    "patches",
    [
        node("Patches", ["image", "window"], ["patches"], name="cut", domain="com.example", stride=8),
        node("MatMul", ["patches", "project.weight"], ["scores"], name="project"),
        node("Best", ["scores"], ["classes", "places"], name="best", domain="com.example", count=5),
    ],
    image, classes, [("window", ints(8, 8)), ("project.weight", floats(192, 10))],
)
write(
    "stale",
    [
        node("MatMul", ["tokens", "query.weight"], ["query"], name="query"),
        node("Reshape", ["query", "heads.shape"], ["heads"], name="split_heads"),
        node("Add", ["heads", "heads.bias"], ["classes"], name="shift"),
    ],
    [("tokens", ["batch", 8, 64])], classes,
    [("query.weight", floats(64, 64)), ("heads.shape", ints(-1, 8, 8, 8)), ("heads.bias", floats(16))],
    declared=[("query", ["batch", 8, 64]), ("heads", ["batch", 8, 4, 16])],
)
write(
    "twice",
    [node("Relu", ["signal"], ["classes"], name="one"), node("Neg", ["signal"], ["classes"], name="other")],
    [("signal", ["batch", 3])], [*classes, ("scores", None)],
)
write("outer", [node("Sub", ["target", "prediction"], ["classes"], name="difference")], [("target", ["n", 1]), ("prediction", ["n"])], classes)
write(
    "mask",
    [node("Add", ["scores", "mask"], ["classes"], name="masked")],
    [("scores", ["batch", 12, "length", "length"]), ("mask", ["batch", 1, 1, "length"])], classes,
)
write("squeezed", [node("Squeeze", ["signal"], ["classes"], name="squeeze")], [("signal", ["batch", "length"])], classes)
then = helper.make_graph(
    [node("MatMul", ["signal", "five.weight"], ["five"], name="five")], "yes", [], [helper.make_tensor_value_info("five", TensorProto.FLOAT, None)],
)
other = helper.make_graph([node("Relu", ["signal"], ["plain"], name="plain")], "no", [], [helper.make_tensor_value_info("plain", TensorProto.FLOAT, None)])
graph_nodes = [
    node("ReduceMax", ["signal"], ["most"], name="most", keepdims=0),
    node("Greater", ["most", "zero"], ["is_loud"], name="is_loud"),
    node("If", ["is_loud"], ["classes"], name="choose", then_branch=then, else_branch=other),
]
write("branch", graph_nodes, [("signal", ["batch", 3])], classes, [("five.weight", floats(5, 3)), ("zero", np.array(0, np.float32))])
either = helper.make_graph([node("MatMul", ["signal", "four.weight"], ["four"], name="four")], "no", [], [helper.make_tensor_value_info("four", TensorProto.FLOAT, None)])
nodes = [*graph_nodes[:2], node("If", ["is_loud"], ["classes"], name="choose", then_branch=then, else_branch=either)]
write("neither", nodes, [("signal", ["batch", 3])], classes, [("five.weight", floats(5, 3)), ("four.weight", floats(4, 3)), ("zero", np.array(0, np.float32))])
whole = (HERE / "fits.onnx").read_bytes()
(HERE / "cut.onnx").write_bytes(whole[: len(whole) * 2 // 3])
