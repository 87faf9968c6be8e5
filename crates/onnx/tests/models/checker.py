#!/usr/bin/env python3
"""Holds annotated files against ONNX's own checker and shape inference.

usage: checker.py ANNOTATE FOLDER FILE...

ANNOTATE is the built example `annotate`. For each file: ONNX infers, the example writes what ONNX inferred into the file as
value info, and the result must say what ONNX says, get the checker's verdict on what ONNX wrote, and be the file but
for value info and types of outputs.
"""
import pathlib
import subprocess
import sys

import onnx


def tensors(graph):
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            yield from attribute.tensors
            if attribute.HasField("t"):
                yield attribute.t
            for inner in [*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])]:
                yield from tensors(inner)


def verdict(model):
    """What ONNX's checker says about a model, with zeros for weights that are elsewhere; empty if it passes."""
    filled = onnx.ModelProto()
    filled.CopyFrom(model)
    for tensor in tensors(filled.graph):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            count = 1
            for dim in tensor.dims:
                count *= dim
            size = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
            tensor.ClearField("external_data")
            tensor.ClearField("data_location")
            tensor.raw_data = bytes(count * size)
    try:
        onnx.checker.check_model(filled)
    except Exception as error:
        return str(error)
    return ""


def graphs(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in [*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])]:
                yield from graphs(inner)


def silent(model):
    """The model without value info and types of outputs."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for graph in graphs(copy.graph):
        graph.ClearField("value_info")
        for output in graph.output:
            output.ClearField("type")
    return copy.SerializeToString(deterministic=True)


annotate, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
passed = failed = checked = 0
for path in map(pathlib.Path, sys.argv[3:]):
    model = onnx.load(path, load_external_data=False)
    try:
        inferred = onnx.shape_inference.infer_shapes(model)
    except Exception as error:
        print(path.name, "is beyond ONNX's inference:", str(error).splitlines()[0])
        continue
    types, out = folder / (path.name + ".types"), folder / path.name
    types.write_bytes(inferred.SerializeToString())
    subprocess.run([annotate, path, types, out], check=True)
    written = onnx.load(out, load_external_data=False)
    wanted = {info.name: info for info in inferred.graph.value_info}
    problems = []
    if {info.name: info.type for info in written.graph.value_info} != {name: info.type for name, info in wanted.items()}:
        problems.append("other value info")
    if [o.type for o in written.graph.output] != [o.type for o in inferred.graph.output]:
        problems.append("other outputs")
    ours, theirs = verdict(written), verdict(inferred)
    checked += not ours
    if ours != theirs:
        problems.append(f"checker: {ours or 'passes'}, what ONNX wrote: {theirs or 'passes'}")
    bare, empty = silent(written), silent(model)
    if bare != empty:
        problems.append("something else than value info and types of outputs changed")
    kept = folder / (path.name + ".kept")
    subprocess.run([annotate, path, path, kept], check=True)
    subprocess.run([annotate, kept, kept, out], check=True)
    if out.read_bytes() != kept.read_bytes():
        problems.append("annotated twice, not the same file")
    for problem in problems:
        print(path.name, problem)
    failed += bool(problems)
    passed += not problems
    for scratch in (types, out, kept):
        scratch.unlink()
print(f"{passed} files as they should be, {failed} not; {checked} of all pass the checker")
sys.exit(bool(failed))
