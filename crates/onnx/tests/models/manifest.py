#!/usr/bin/env python3
"""Says what the `onnx` package finds in model files, a line a file: what the reader here is held against.

usage: manifest.py FILE... >manifest.tsv        (`cargo run --example inventory -- FILE...` writes the same)
"""
import pathlib
import sys

import onnx


def nested(nodes):
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in [*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])]:
                yield from nested(graph.node)


print("file", "ir", "opset", "nodes", "nested", "initializers", "inputs", "outputs", "value_info", "functions", "ints", sep="\t")
for path in sys.argv[1:]:
    model = onnx.load(path, load_external_data=False)
    graph = model.graph
    everywhere = [*nested(graph.node), *(node for f in model.functions for node in nested(f.node))]
    plain = [opset.version for opset in model.opset_import if opset.domain in ("", "ai.onnx")]
    ints = sum(len(attribute.ints) for node in everywhere for attribute in node.attribute)
    print(pathlib.Path(path).name, model.ir_version, plain[-1] if plain else "-", len(graph.node), len(everywhere),
          len(graph.initializer), len(graph.input), len(graph.output), len(graph.value_info), len(model.functions), ints, sep="\t")
