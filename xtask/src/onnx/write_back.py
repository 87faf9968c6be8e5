"""Looks at models that were annotated: reads lines with two paths, the model and the annotated one, and answers each by a line
of JSON: of ONNX's checker, ONNX Runtime and strict inference, what each says about the model and the annotated one, empty if
it passes; and the tensors whose annotated shapes differ from what ONNX infers without annotations."""
import json, sys

import onnx
import onnxruntime as ort

ort.set_default_logger_severity(4)
options = ort.SessionOptions()
options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
options.intra_op_num_threads = options.inter_op_num_threads = 1


def said(act):
    try:
        act()
        return ""
    except Exception as error:
        return str(error)[:300]


def bare(model):
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.graph.value_info[:]
    for output in copy.graph.output:
        if output.type.HasField("tensor_type"):
            output.type.tensor_type.ClearField("shape")
    return copy


def strict(model):
    return lambda: onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)


def shapes(model):
    for info in [*model.graph.value_info, *model.graph.output]:
        if info.type.HasField("tensor_type") and info.type.tensor_type.HasField("shape"):
            dims = info.type.tensor_type.shape.dim
            yield info.name, [dim.dim_value if dim.HasField("dim_value") else None for dim in dims]


for line in sys.stdin:
    paths = line.rstrip("\n").split("\t")
    models = [onnx.load(path, load_external_data=False) for path in paths]
    answer = {"checker": [said(lambda: onnx.checker.check_model(path)) for path in paths]}
    answer["runtime"] = [said(lambda: ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])) for path in paths]
    answer["strict"] = [said(strict(bare(models[0]))), said(strict(models[1]))]
    answer["differ"] = []
    try:
        theirs, ours = dict(shapes(onnx.shape_inference.infer_shapes(bare(models[0]), data_prop=True))), dict(shapes(models[1]))
        for name, shape in theirs.items():
            own = ours.get(name)
            if own and (len(own) != len(shape) or any(None not in both and both[0] != both[1] for both in zip(own, shape))):
                answer["differ"].append([name, own, shape])
    except Exception:
        pass
    answer["annotated"] = len(models[1].graph.value_info)
    print(json.dumps(answer), flush=True)
