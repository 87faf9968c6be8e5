"""Runs models at sizes: reads lines of JSON, {"path", "symbols"}, and answers each by {"runs", "node"}: whether ONNX Runtime
runs the model, and if not, the node that it dies in, or what it says. Follows inputs.py."""
last, session, inputs = None, None, []
for line in sys.stdin:
    asked = json.loads(line)
    if asked["path"] != last:
        model = onnx.load(asked["path"], load_external_data=False)
        stored = {tensor.name for tensor in model.graph.initializer}
        inputs = [info for info in model.graph.input if info.name not in stored]
        last, session = asked["path"], None
    try:
        if session is None:
            session = ort.InferenceSession(asked["path"], options, providers=["CPUExecutionProvider"])
        feed = {info.name: element(info, list(sizes(info, asked["symbols"])), asked["symbols"]) for info in inputs}
        session.run(None, feed)
        answer = {"runs": True, "node": ""}
    except Exception as error:
        found = re.search(r"running (\w+) node. Name:'([^']*)'", str(error))
        answer = {"runs": False, "node": found.group(2) if found else str(error)[:120]}
    print(json.dumps(answer), flush=True)
