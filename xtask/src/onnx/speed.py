"""Answers each line, a path, by one of JSON: the processor time in nanoseconds that ONNX's C++ inference takes for the
file's bytes, without and with propagation of data; or null, if the model is refused. Python's own work is left out: the
bytes go to C++ as they are, and what comes back is not parsed."""
import json, sys, time

from onnx.onnx_cpp2py_export.shape_inference import infer_shapes

for line in sys.stdin:
    data = open(line.rstrip("\n"), "rb").read()
    times = []
    for propagates in (False, True):
        try:
            start = time.thread_time_ns()
            infer_shapes(data, False, False, propagates)
            times.append(time.thread_time_ns() - start)
        except Exception:
            times.append(None)
    print(json.dumps(None if None in times else times), flush=True)
