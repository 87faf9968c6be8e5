"""Inputs of models at sizes, for the scripts that run models. Graphs are not optimised, so that nodes are those of the file.
Weights and inputs do not matter for shapes, but for lengths, which are those of the sizes."""
import json, re, sys

import numpy as np
import onnx
import onnxruntime as ort

ort.set_default_logger_severity(4)
options = ort.SessionOptions()
options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
# Where sizes differ that the file declares equal, sharing of buffers would die first, in a node before.
options.enable_mem_reuse = False
options.intra_op_num_threads = options.inter_op_num_threads = 1
FLOATS = (1, 10, 11)


def sizes(info, symbols):
    for axis, dim in enumerate(info.type.tensor_type.shape.dim):
        fixed = dim.dim_value if dim.HasField("dim_value") and dim.dim_value > 0 else None
        is_name = any(map(str.isalpha, dim.dim_param)) and dim.dim_param.lower() != "none"
        name = dim.dim_param if is_name else f"{info.name}_{axis}"
        yield fixed if fixed is not None else symbols[re.sub(r"\W", "_", name)]


def element(info, shape, symbols):
    kind = info.type.tensor_type.elem_type
    if kind == onnx.TensorProto.STRING:
        return np.array(["hello world"] * int(np.prod(shape)), dtype=object).reshape(shape)
    if kind in FLOATS:
        values = np.random.default_rng(0).standard_normal(shape) * 0.1
    elif kind == onnx.TensorProto.BOOL or re.search("mask", info.name):
        values = np.ones(shape)
    elif not shape:
        values = np.array(16000 if re.search("sr|rate", info.name) else 1)
    elif re.search("len", info.name):
        values = np.full(shape, max(symbols.values()))
    else:
        values = np.random.default_rng(0).integers(1, 8, shape)
    return np.asarray(values).astype(onnx.helper.tensor_dtype_to_np_dtype(kind))


