"""Validates what the command prints as SARIF: sarif.py COMMAND SCHEMA, with a file's path in each line of the input. Prints what is
not valid, then how many logs and results were."""
import json, subprocess, sys

import jsonschema

command, schema = sys.argv[1:]
validator = jsonschema.validators.validator_for(json.load(open(schema)))(json.load(open(schema)))
logs = results = mistakes = 0
for path in map(str.strip, sys.stdin):
    for task in (["check"], ["requires"], ["audit", "--deny", "any"]):
        said = subprocess.run([command, *task[:1], path, *task[1:], "--format", "sarif"], capture_output=True, text=True)
        logs += 1
        try:
            log = json.loads(said.stdout)
            errors = [f"{'/'.join(map(str, error.path))}: {error.message[:120]}" for error in validator.iter_errors(log)]
            results += len(log["runs"][0]["results"])
        except ValueError as error:
            errors = [f"{error}: {said.stdout[:80]!r} {said.stderr[:80]!r}"]
        mistakes += bool(errors)
        for error in errors[:3]:
            print(f"MISTAKE {task[0]} {path}: {error}")
print(f"logs={logs} results={results} mistakes={mistakes}")
