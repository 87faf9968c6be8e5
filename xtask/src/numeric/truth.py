# The meaning of a specification as index grids in NumPy, one point of the product space an element.
import numpy as np

ACCUMULATE = {'sum': np.add, 'max': np.maximum, 'min': np.minimum}
COMBINE = {'multiply': np.multiply, 'add': np.add}

def evaluate(notation, case):
    tensors = [np.array(values, dtype=np.float64) for values in case['values']]
    result = np.full(prod(notation.result_shape), NEUTRAL[case['accumulate']])
    for running, there in notation.blocks():
        points = grid(notation, running)
        to, inside = places(notation, notation.result, notation.result_shape, points)
        reads = []
        for slot in there:
            at, reach = places(notation, notation.operands[slot], notation.shapes[slot], points)
            reads.append((tensors[case['slots'][slot]], at))
            inside = inside & reach
        values = None
        for tensor, at in reads:
            value = tensor[at[inside]]
            values = value if values is None else COMBINE[case['combine']](values, value)
        ACCUMULATE[case['accumulate']].at(result, to[inside], values)
    return result.reshape(notation.result_shape)

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
    _, stride, over, dilation, kernel, offset, padded = axis
    at = stride * points[over] + offset
    if kernel is not None:
        at = at + dilation * points[kernel]
        if padded:
            at = at - dilation * (notation.sizes[kernel] - 1) // 2
    return at
