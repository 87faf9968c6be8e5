# The claims of the pages about values, held against the NumPy that stands below them.
#
# Nothing here knows what an operation does: the data of a block are read, its Python is run, and what that
# leaves in the claimed names is compared.
import re
import sys

import numpy as np


def sizes(shape):
    """The sizes of a written shape, in memory order: batch, output, input."""
    batch, _, rest = shape.rpartition("|")
    inputs, _, outputs = rest.rpartition("->")
    axes = [axis for row in (batch, outputs, inputs) for axis in re.split(r"[, ]+", row) if axis]
    return None if "..." in axes or "_" in axes else tuple(int(axis.split("_")[0]) for axis in axes)


def numbers(text, count):
    """The numbers of a text, as many as there are places."""
    if count == 0:
        return []
    words = re.split(r"[ ,;]+", text.strip())
    if len(words) == 1 and ".." not in words[0]:
        return [float(words[0])] * count
    read = []
    for word in words:
        first, dots, last = word.partition("..")
        if not dots:
            read.append(float(first))
        else:
            stop = int(last) if last else int(first) + count - len(read) - 1
            read.extend(float(number) for number in range(int(first), stop + 1))
    return read


def data(steps):
    """The data whose shapes are written."""
    found = {}
    first = re.match(r"in (i32|i64)\n", steps)
    dtype = {"i32": np.int32, "i64": np.int64}[first[1]] if first else np.float64
    for name, shape, text in re.findall(r"^(?:data|param) (\w+): (.*?) = (.*)$", steps, re.M):
        shape = sizes(shape)
        if shape is not None:
            found[name] = np.array(numbers(text, int(np.prod(shape))), dtype=dtype).reshape(shape)
    return found


def agrees(claim, array):
    """Whether an array has the shape and the numbers that are claimed."""
    shape, text = claim
    if sizes(shape) != array.shape:
        return False
    flat = np.asarray(array, dtype=float).ravel()
    if "…" not in text:
        return np.array_equal(np.array(numbers(text, flat.size)), flat, equal_nan=True)
    first, last, total, weighted = re.fullmatch(
        r"(.*) … (.*), sum (.*), weighted (.*)", text).groups()
    return (np.array_equal(np.array([float(n) for n in first.split()]), flat[:6])
            and float(last) == flat[-1] and float(total) == flat.sum()
            and float(weighted) == np.arange(flat.size) @ flat)


np.seterr(all="ignore")  # an integer that wraps, a number that is not one
blocks = claims = wrong = 0
for page in sys.argv[1:]:
    text = open(page, encoding="utf-8").read()
    for block in re.finditer(r"```values\n(.*?)---\n(.*?)```\n(?:\n```python\n(.*?)```\n)?", text, re.S):
        steps, claimed, code = block.groups()
        blocks += 1
        if claimed.startswith("error: "):
            continue
        line = text[:block.start()].count("\n") + 1
        if not code:
            sys.exit(f"{page}:{line}: no Python below it")
        names = {"np": np, **data(steps)}
        exec(code, names)
        for name, shape, held in re.findall(r"^(\w+): (.*?) = (.*)$", claimed, re.M):
            claims += 1
            if name not in names or not agrees((shape, held), np.asarray(names[name])):
                wrong += 1
                print(f"{page}:{line}: {name} is claimed {shape} = {held}, NumPy has {names.get(name)}")
print(f"blocks={blocks} claims={claims} mismatches={wrong}")
