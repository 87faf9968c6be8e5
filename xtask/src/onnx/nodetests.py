"""Writes the operators' tests of ONNX's wheel as models to infer: nodetests.py OUT.

For each case with tensors only, and each mode, OUT/<mode>/<case>.onnx; types of outputs and value info are left out.
 value   inputs that are integers or have at most one axis are constants
 open    inputs with at most one axis are constants; each axis of others has a name of its own
 shared  the same, but equal sizes have the same name, and 1 is 1
 bare    no input is a constant; each axis of each has a name of its own
Prints a line of JSON for each: the mode, the case, its operators, what its outputs' shapes are and what the names are.
"""
import glob, json, os, pathlib, sys

import onnx
from onnx import TensorProto

WHOLE = (TensorProto.INT64, TensorProto.INT32, TensorProto.BOOL, TensorProto.INT8, TensorProto.UINT8)


def tensor(path):
    found = TensorProto()
    found.ParseFromString(pathlib.Path(path).read_bytes())
    return found


def is_constant(mode, given):
    small = len(given.dims) <= 1
    return mode != "bare" and (small or mode == "value" and given.data_type in WHOLE)


def variant(mode, model, given):
    """The model with constants and names, and the values of the names."""
    made, names = onnx.ModelProto(), {}
    made.CopyFrom(model)
    for info in made.graph.input:
        value = given.get(info.name)
        if value is None:
            continue
        if is_constant(mode, value):
            made.graph.initializer.add().CopyFrom(value)
            continue
        shape = info.type.tensor_type.shape
        del shape.dim[:]
        shape.SetInParent()
        for size in value.dims:
            dim = shape.dim.add()
            if mode == "value" or mode == "shared" and size <= 1:
                dim.dim_value = size
                continue
            # A size that is called a past one may be 0; others are taken to be at least 1.
            name = f"n{size}" if mode == "shared" else f"{'past_' if size == 0 else ''}s{len(names)}"
            names[name], dim.dim_param = size, name
    del made.graph.value_info[:]
    for info in made.graph.output:
        info.type.tensor_type.ClearField("shape")
    return made, names


out = pathlib.Path(sys.argv[1])
root = os.path.join(os.path.dirname(onnx.__file__), "backend/test/data/node/*/model.onnx")
for path in sorted(glob.glob(root)):
    model, folder = onnx.load(path), os.path.dirname(path)
    inputs, outputs = model.graph.input, model.graph.output
    if any(info.type.WhichOneof("value") != "tensor_type" for info in [*inputs, *outputs]):
        continue
    case, given = os.path.basename(folder), {}
    for number, info in enumerate(inputs):
        file = f"{folder}/test_data_set_0/input_{number}.pb"
        if os.path.exists(file):
            given[info.name] = tensor(file)
            given[info.name].name = info.name
    shapes = [list(tensor(f"{folder}/test_data_set_0/output_{number}.pb").dims) for number in range(len(outputs))]
    operators = sorted({node.op_type for node in model.graph.node})
    for mode in ("value", "open", "shared", "bare"):
        made, names = variant(mode, model, given)
        place = out / mode / f"{case}.onnx"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(made.SerializeToString())
        said = {"mode": mode, "case": case, "operators": operators, "shapes": shapes, "names": names}
        said["outputs"] = [info.name for info in outputs]
        print(json.dumps(said))
