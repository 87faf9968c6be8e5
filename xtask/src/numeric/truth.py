# The meaning of a specification as index grids in NumPy, one point of the product space an element; and of the primitives.
import numpy as np

np.seterr(all='ignore')

COMBINE = {'multiply': np.multiply, 'add': np.add}
SIGNS = {'sum': '=+', 'max': '=@^', 'min': '=@-'}
TYPES = {'f64': np.float64, 'f32': np.float32, 'i32': np.int32, 'i64': np.int64}

def convert(x, dtype):
    """Numbers in a type: of integers, towards zero and no further than their ends; zero for what is not a number."""
    if not np.issubdtype(dtype, np.integer):
        return np.asarray(x).astype(dtype)
    x = np.trunc(np.nan_to_num(np.asarray(x, dtype=np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf))
    ends = np.iinfo(dtype)
    inside = (x >= float(ends.min)) & (x < -float(ends.min))
    return np.where(inside, np.where(inside, x, 0).astype(dtype), np.where(x > 0, ends.max, ends.min)).astype(dtype)

def truth(x, dtype):
    return np.asarray(x).astype(dtype)

def quotient(a, b, dtype):
    if not np.issubdtype(dtype, np.integer):
        return a / b
    # Without a detour through floating-point numbers, which have too few digits; NumPy rounds down.
    by = np.where(b == 0, 1, b).astype(dtype)
    down = np.floor_divide(a, by)
    is_above = (down * by != a) & ((a < 0) != (by < 0))
    return np.where(b == 0, 0, down + is_above).astype(dtype)

def power(a, b, dtype):
    if not np.issubdtype(dtype, np.integer):
        return a ** b
    whole = np.power(a, np.maximum(b, 0))
    unit = np.where(a == 1, 1, np.where(b % 2 == 0, 1, -1))
    return np.where(b >= 0, whole, np.where(np.abs(a) == 1, unit, 0)).astype(dtype)

def by_floats(function):
    return lambda x, dtype: function(x) if not np.issubdtype(dtype, np.integer) else convert(function(x.astype(np.float64)), dtype)

UNARY = {
    'relu': lambda x, t: np.maximum(x, t(0)),
    'sat01': lambda x, t: np.clip(x, t(0), t(1)),
    'exp': by_floats(np.exp), 'log': by_floats(np.log), 'exp2': by_floats(np.exp2), 'log2': by_floats(np.log2),
    'sin': by_floats(np.sin), 'cos': by_floats(np.cos), 'tanh': by_floats(np.tanh), 'sqrt': by_floats(np.sqrt),
    'recip': lambda x, t: quotient(np.full_like(x, 1), x, t),
    'recip_sqrt': by_floats(lambda x: x.dtype.type(1) / np.sqrt(x)),
    'neg': lambda x, t: -x,
    'not': lambda x, t: truth(x == 0, t),
    'trunc': lambda x, t: np.trunc(x).astype(t),
}
BINARY = {
    'arg1': lambda a, b, t: a, 'arg2': lambda a, b, t: b,
    'add': lambda a, b, t: a + b, 'sub': lambda a, b, t: a - b, 'mul': lambda a, b, t: a * b,
    'div': quotient, 'pow': power,
    'relu_gate': lambda a, b, t: np.where(a > 0, b, t(0)),
    'sat01_gate': lambda a, b, t: np.where((a > 0) & (a < 1), b, t(0)),
    'lt': lambda a, b, t: truth(a < b, t), 'le': lambda a, b, t: truth(a <= b, t),
    'eq': lambda a, b, t: truth(a == b, t), 'ne': lambda a, b, t: truth(a != b, t),
    'or': lambda a, b, t: truth((a != 0) | (b != 0), t), 'and': lambda a, b, t: truth((a != 0) & (b != 0), t),
    'mod': lambda a, b, t: np.fmod(a, b), 'max': lambda a, b, t: np.maximum(a, b), 'min': lambda a, b, t: np.minimum(a, b),
}
TERNARY = {
    'where': lambda a, b, c, t: np.where(a != 0, b, c),
    'fma': lambda a, b, c, t: a * b + c,
    'mul3': lambda a, b, c, t: a * b * c,
}

# The neutral element, and what is done at every point, one after another.
ACCUMULATE = {
    '=:': (0, None), '=+': (0, np.add), '=-': (0, np.subtract), '=*': (1, np.multiply), '=/': (1, None),
    '=@^': (-np.inf, np.maximum), '=@-': (np.inf, np.minimum), '=&&': (1, None), '=||': (0, None),
}

def compute(tree, reads, dtype):
    """The value of a tree, and whether something was read for it; nothing, where all that it reads is missing."""
    name, *rest = tree
    if name == 'read':
        return (reads[rest[0]], True) if rest[0] in reads else None
    if name == 'number':
        return convert(rest[0], dtype), False
    parts = [compute(part, reads, dtype) for part in rest]
    if None in [None if part is None else 0 for part in parts]:
        # What is missing is left out, and constants alone are nothing.
        there = [part for part in parts if part is not None and part[1]]
        return there[0] if there else None
    table = (UNARY, BINARY, TERNARY)[len(rest) - 1]
    operands = np.broadcast_arrays(*(part[0] for part in parts))
    return np.asarray(table[name](*operands, dtype)).astype(dtype), any(part[1] for part in parts)

def accumulate(result, sign, to, values, dtype):
    if sign == '=:':
        result[to] = values
    elif sign == '=/':
        for cell, value in zip(to, values):
            result[cell] = quotient(result[cell], value, dtype)
    elif sign in ('=&&', '=||'):
        both = np.logical_and if sign == '=&&' else np.logical_or
        for cell, value in zip(to, values):
            result[cell] = both(result[cell] != 0, value != 0)
    else:
        ACCUMULATE[sign][1].at(result, to, values)

def evaluate(notation, case):
    dtype = TYPES[case.get('element', 'f64')]
    sign = SIGNS.get(case['accumulate'], case['accumulate'])
    tensors = [np.array(values).astype(dtype) for values in case['values']]
    count = prod(notation.result_shape)
    before = case.get('onto')
    result = np.full(count, convert(ACCUMULATE[sign][0], dtype)) if before is None else np.array(before).astype(dtype)
    scale = np.abs(result).astype(np.float64)
    scale[~np.isfinite(scale)] = 0
    for running, there in notation.blocks():
        points = grid(notation, running)
        to, inside = places(notation, notation.result, notation.result_shape, points)
        reads = {}
        for slot in there:
            at, reach = places(notation, notation.operands[slot], notation.shapes[slot], points)
            reads[slot] = (tensors[case['slots'][slot]], at)
            inside = inside & reach
        reads = {slot: tensor[at[inside]] for slot, (tensor, at) in reads.items()}
        if case.get('value') is None:
            values = None
            for value in reads.values():
                values = value if values is None else COMBINE[case['combine']](values, value)
        else:
            found = compute(case['value'], reads, dtype)
            if found is None:
                continue
            values = np.broadcast_to(found[0], to[inside].shape)
        accumulate(result, sign, to[inside], values, dtype)
        sized = np.abs(values.astype(np.float64))
        np.add.at(scale, to[inside], np.where(np.isfinite(sized), sized, 0))
    return result.reshape(notation.result_shape), scale.max(initial=0)

def whole(case):
    """Reshapes, and compositions that begin with an operand."""
    dtype = TYPES[case['element']]
    memory = lambda shape: [*shape[BATCH], *shape[OUTPUT], *shape[INPUT]]
    tensors = [np.array(values).astype(dtype).reshape(memory(shape)) for values, shape in zip(case['values'], case['shapes'])]
    if case['form'] == 'reshape':
        return tensors[0].reshape(memory(case['result'])), 0
    (w, x, b), (of_w, of_x, of_b) = tensors, case['shapes']
    w = w.reshape(*of_w[BATCH], prod(of_w[OUTPUT]), prod(of_w[INPUT]))
    x = x.reshape(*of_x[BATCH], prod(of_x[OUTPUT]), prod(of_x[INPUT]))
    result = case['result']
    padded = [[1] * (len(all) - len(own)) + own for own, all in zip(of_b, result)]
    return (w @ x).reshape(memory(result)) + b.reshape(memory(padded)), 0

def grid(notation, running):
    """The position of each loop at every point."""
    points, step, count = {}, 1, prod(notation.sizes[name] for name in running)
    for name in running:
        points[name] = np.arange(count) // step % notation.sizes[name]
        step *= notation.sizes[name]
    points['count'] = count
    return points

def places(notation, slot, shape, points):
    """The flat index of a slot at every point, and whether it is inside."""
    flat = np.zeros(points['count'], dtype=np.int64)
    inside = np.ones(points['count'], dtype=bool)
    for axis, size in zip(slot, shape, strict=True):
        at = position(notation, axis, points)
        inside &= (at >= 0) & (at < size)
        flat = flat * size + at
    return flat, inside

def position(notation, axis, points):
    form = axis[0]
    if form == 'name':
        return points[axis[1]]
    if form == 'fixed':
        return np.int64(axis[1])
    if form == 'index':
        return np.int64(notation.indices[axis[1]])
    if form == 'concat':
        [name] = [part for part in axis[1] if part in points]
        return points[name] + notation.before(axis[1], name)
    if form == 'merged':
        at = np.int64(0)
        for name in axis[1]:
            at = at * notation.sizes[name] + points[name]
        return at
    _, stride, over, dilation, kernel, offset, (marker, left, _), _ = axis
    at = stride * points[over] + offset
    if kernel is not None:
        at = at + dilation * points[kernel]
        at = at - (dilation * (notation.sizes[kernel] - 1) // 2 if '=' in marker else left)
    return at
