"""Edits models as `lozenge pins` says: reads lines of JSON, {"path", "out", "input", "axis", "name", "pins", "runs"}, writes
the edited model, and answers by {"edited", "runs"}: whether all that was named could be edited, and for each set of sizes what
ONNX Runtime says, empty where it runs. A pin is {"tensor", "readers", "element", "edit", "times"}. Follows inputs.py."""
from onnx import helper, numpy_helper


def constants(graph):
    for tensor in graph.initializer:
        yield tensor.name, tensor
    for node in graph.node:
        if node.op_type == "Constant":
            for attribute in node.attribute:
                if attribute.name == "value":
                    yield node.output[0], attribute.t


def edit(model, asked):
    graph = model.graph
    for info in graph.input:
        if info.name == asked["input"]:
            info.type.tensor_type.shape.dim[asked["axis"]].dim_param = asked["name"]
    # What the file says of values is what was true before.
    del graph.value_info[:]
    for info in graph.output:
        info.type.tensor_type.ClearField("shape")
    stored = dict(constants(graph))
    done, chain = True, []
    # Constants that several edits are of, each with its reader.
    arrays = {}
    for number, pin in enumerate(asked["pins"]):
        tensor = stored.get(pin["tensor"])
        readers = [node for node in graph.node if node.output[0] in pin["readers"]]
        if tensor is None or len(readers) != len(pin["readers"]):
            done = False
            continue
        key = (pin["readers"][0], pin["tensor"])
        if key not in arrays:
            name = f"pinned_{number}"
            arrays[key] = (name, numpy_helper.to_array(tensor).copy(), tensor.data_type, [])
            for reader in readers:
                for place, own in enumerate(reader.input):
                    if own == pin["tensor"]:
                        reader.input[place] = name
        _, array, _, sizes = arrays[key]
        if pin["edit"] == "rest":
            array.reshape(-1)[pin["element"]] = -1
        else:
            sizes.append((pin["element"], pin["times"]))
    for name, array, kind, sizes in arrays.values():
        made = lambda part, value: chain.append(helper.make_node("Constant", [], [name + part], value=numpy_helper.from_array(np.asarray(value), name + part)))
        flat = name + "_flat"
        made("_flat", array.reshape(-1))
        made("_axis", np.array([asked["axis"]], np.int64))
        made("_shape", np.array(array.shape, np.int64))
        chain.append(helper.make_node("Shape", [asked["input"]], [name + "_sizes"]))
        chain.append(helper.make_node("Gather", [name + "_sizes", name + "_axis"], [name + "_size"]))
        for at, times in sizes:
            # The size takes the place of the element, computed at the beginning of the graph.
            part = f"_{at}"
            made(part + "at", np.array([at], np.int64))
            made(part + "times", np.array([times], np.int64))
            chain += [
                helper.make_node("Mul", [name + "_size", name + part + "times"], [name + part + "product"]),
                helper.make_node("Cast", [name + part + "product"], [name + part + "cast"], to=kind),
                helper.make_node("ScatterElements", [flat, name + part + "at", name + part + "cast"], [name + part]),
            ]
            flat = name + part
        chain.append(helper.make_node("Reshape", [flat, name + "_shape"], [name]))
    nodes = chain + list(graph.node)
    del graph.node[:]
    graph.node.extend(nodes)
    return done


for line in sys.stdin:
    asked = json.loads(line)
    model = onnx.load(asked["path"], load_external_data=False)
    answer = {"edited": edit(model, asked), "runs": []}
    onnx.save(model, asked["out"])
    stored = {tensor.name for tensor in model.graph.initializer}
    inputs = [info for info in model.graph.input if info.name not in stored]
    for symbols in asked["runs"]:
        try:
            session = ort.InferenceSession(asked["out"], options, providers=["CPUExecutionProvider"])
            session.run(None, {info.name: element(info, list(sizes(info, symbols)), symbols) for info in inputs})
            answer["runs"].append("")
        except Exception as error:
            answer["runs"].append(str(error).replace("\n", " ")[:200])
    print(json.dumps(answer), flush=True)
