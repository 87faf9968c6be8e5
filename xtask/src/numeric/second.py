# The meaning of a specification by what JAX has for each construct: convolutions and pools where there are
# some, else slices, reshapes, diagonals and einsum on the way in, pads and concatenations on the way out.
import os
os.environ['JAX_PLATFORMS'] = 'cpu'
# Without fused multiply-add: what is computed twice is equal, as ties have to be.
os.environ['XLA_FLAGS'] = '--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true --xla_cpu_max_isa=SSE4_2'
import jax
jax.config.update('jax_enable_x64', True)
from jax import lax, numpy as jnp
import numpy as np

COMBINE = {'multiply': jnp.multiply, 'add': jnp.add}
ACCUMULATE = {'sum': jnp.add, 'max': jnp.maximum, 'min': jnp.minimum}
REDUCE = {'sum': jnp.sum, 'max': jnp.max, 'min': jnp.min}

# Compiled programs are kept by JAX, and no two cases are alike.
KEPT = 200
evaluated = 0

def evaluate(notation, case):
    global evaluated
    evaluated += 1
    if evaluated % KEPT == 0:
        jax.clear_caches()
    flat = [np.array(values, dtype=np.float64) for values in case['values']]
    tensors = [flat[slot].reshape(shape) for slot, shape in zip(case['slots'], notation.shapes)]
    # As one program: each step by itself would be compiled by itself, which takes ten times as long.
    return np.asarray(jax.jit(lambda tensors: program(notation, case, tensors))(tensors))

def program(notation, case, tensors):
    result = None
    for running, there in notation.blocks():
        there = [(tensors[place], notation.operands[place]) for place in there]
        whole = convolve(notation, case, tensors, running) or pool(notation, case, tensors, running)
        value, labels = whole or loop(notation, case, there, running)
        value = write(notation, case, value, labels, running)
        result = value if result is None else ACCUMULATE[case['accumulate']](result, value)
    return result

# Whole operations.

def windows(slot):
    return [axis for axis in slot if axis[0] == 'affine' and axis[4] is not None]

def is_plain(notation, slot):
    """Whether all is names and windows, and no name is there twice; and nothing alternates."""
    names = [name for axis in slot for name in loops_of(axis)]
    simple = all(axis[0] == 'name' or axis in windows(slot) for axis in slot)
    return simple and len(set(names)) == len(names) and not any(len(g) > 1 for g in notation.groups)

def pads(notation, axis):
    """What is padded on either side, so that there are as many windows as steps."""
    _, stride, over, dilation, kernel, offset, (marker, left, _), _ = axis
    span = 1 + dilation * (notation.sizes[kernel] - 1)
    left = (span - 1) // 2 if '=' in marker else left
    reach = stride * (notation.sizes[over] - 1) + offset + span - left
    return left - offset, reach - notation.size(axis, False)

def convolve(notation, case, tensors, running):
    """`lax.conv_general_dilated`, for sums of products of two operands of which one is slid along the other."""
    if (case['accumulate'], case['combine'], len(tensors)) != ('sum', 'multiply', 2):
        return None
    (x, w), (image, kernel) = tensors, notation.operands
    slid = windows(image)
    if not slid or not is_plain(notation, image) or any(axis[0] != 'name' for axis in kernel):
        return None
    kernels = [axis[1] for axis in kernel]
    result = {name for axis in notation.result for name in loops_of(axis)}
    steps = [axis[2] for axis in slid]
    reached = [axis[4] for axis in slid]
    names = [axis[1] for axis in image if axis[0] == 'name']
    if len(set(kernels)) != len(kernels) or not set(reached) <= set(kernels) or set(steps) & set(kernels):
        return None
    if set(reached) & result or set(names) & set(kernels) & result:
        return None
    channels = [name for name in names if name in kernels]
    batch = [name for name in names if name not in kernels]
    written = [name for name in kernels if name not in reached and name not in channels]
    count = lambda group: prod(notation.sizes[name] for name in group)
    order = [image.index(('name', name)) for name in batch + channels] + [image.index(axis) for axis in slid]
    x = jnp.transpose(x, order).reshape(count(batch), count(channels), *(notation.size(a, False) for a in slid))
    w = jnp.transpose(w, [kernels.index(name) for name in written + channels + reached])
    w = w.reshape(count(written), count(channels), *(notation.sizes[name] for name in reached))
    y = lax.conv_general_dilated(
        x, w, [axis[1] for axis in slid], [pads(notation, axis) for axis in slid],
        rhs_dilation=[axis[3] for axis in slid], precision=lax.Precision.HIGHEST)
    labels = batch + written + steps
    y = y.reshape([notation.sizes[name] for name in labels])
    return finish(notation, case, y, labels, running)

def pool(notation, case, tensors, running):
    """`lax.reduce_window`, for one operand."""
    [x, *more], [image, *_] = tensors, notation.operands
    result = {name for axis in notation.result for name in loops_of(axis)}
    slid = windows(image)
    if more or not slid or not is_plain(notation, image) or {axis[4] for axis in slid} & result:
        return None
    column = lambda none, of: [of(axis) if axis in slid else none for axis in image]
    y = lax.reduce_window(
        jnp.asarray(x), NEUTRAL[case['accumulate']], {'sum': lax.add, 'max': lax.max, 'min': lax.min}[case['accumulate']],
        column(1, lambda a: notation.sizes[a[4]]), column(1, lambda a: a[1]),
        column((0, 0), lambda a: pads(notation, a)), window_dilation=column(1, lambda a: a[3]))
    labels = [axis[1] if axis[0] == 'name' else axis[2] for axis in image]
    return finish(notation, case, y, labels, running)

# All others.

def loop(notation, case, reads, running):
    result = {name for axis in notation.result for name in loops_of(axis)}
    values = [read(notation, jnp.asarray(x), slot, running) for x, slot in reads]
    labels = list(dict.fromkeys(name for _, names in values for name in names))
    if case['accumulate'] == 'sum' and (case['combine'] == 'multiply' or len(values) == 1):
        # What is read outside is zero.
        letter = {name: chr(ord('a') + place) for place, name in enumerate(labels)}
        kept = [name for name in labels if name in result]
        spell = lambda names: ''.join(letter[name] for name in names)
        spec = ','.join(spell(names) for _, names in values) + '->' + spell(kept)
        value = jnp.einsum(spec, *(x for x, _ in values), precision=lax.Precision.HIGHEST)
        return finish(notation, case, value, kept, running)
    inside = value = None
    for (x, names), (whole, slot) in zip(values, reads):
        aligned = align(x, names, labels)
        value = aligned if value is None else COMBINE[case['combine']](value, aligned)
        if windows(slot):
            ones, names = read(notation, jnp.ones(whole.shape), slot, running)
            there = align(ones, names, labels) > 0
            inside = there if inside is None else inside & there
    if inside is not None:
        value = jnp.where(inside, value, NEUTRAL[case['accumulate']])
    value = jnp.broadcast_to(value, [notation.sizes[name] for name in labels])
    return finish(notation, case, value, labels, running)

def align(x, names, labels):
    sizes = [x.shape[names.index(name)] if name in names else 1 for name in labels]
    return jnp.transpose(x, [names.index(name) for name in labels if name in names]).reshape(sizes)

def finish(notation, case, value, labels, running):
    """Reduces what is not written, and repeats what only the result has."""
    result = list(dict.fromkeys(name for axis in notation.result for name in loops_of(axis) if name in running))
    away = tuple(place for place, name in enumerate(labels) if name not in result)
    if away:
        value = REDUCE[case['accumulate']](value, axis=away)
    value = align(value, [name for name in labels if name in result], result)
    return jnp.broadcast_to(value, [notation.sizes[name] for name in result]), result

def read(notation, x, slot, running):
    """Turns every axis into those of the names in it, and takes the diagonal of what is there twice."""
    labels = []
    for axis in slot:
        at, form = len(labels), axis[0]
        if form == 'name':
            labels.append(axis[1])
        elif form == 'fixed':
            x = lax.index_in_dim(x, axis[1], at, keepdims=False)
        elif form == 'index':
            x = jnp.take(x, notation.indices[axis[1]], axis=at)
        elif form == 'concat':
            [name] = [part for part in axis[1] if part in running]
            start = notation.before(axis[1], name)
            x = lax.slice_in_dim(x, start, start + notation.sizes[name], axis=at)
            labels.append(name)
        elif form == 'merged':
            x = x.reshape([*x.shape[:at], *(notation.sizes[name] for name in axis[1]), *x.shape[at + 1:]])
            labels.extend(axis[1])
        elif axis[4] is None:
            x = lax.slice_in_dim(x, axis[5], x.shape[at], axis[1], axis=at)
            labels.append(axis[2])
        else:
            x = slide(notation, x, axis, at)
            labels.extend((axis[2], axis[4]))
    place = 0
    while place < len(labels):
        name = labels[place]
        if labels.count(name) > 1:
            other = labels.index(name, place + 1)
            x = jnp.diagonal(x, axis1=place, axis2=other)
            labels = [label for at, label in enumerate(labels) if at not in (place, other)] + [name]
        else:
            place += 1
    return x, labels

def start_of(notation, axis):
    _, _, _, dilation, kernel, offset, (marker, left, _), _ = axis
    return offset - (dilation * (notation.sizes[kernel] - 1) // 2 if '=' in marker else left)

def slide(notation, x, axis, at):
    """An axis of steps and one of positions in the window, from a slice for every position."""
    _, stride, over, dilation, kernel, *_ = axis
    start, steps, size = start_of(notation, axis), notation.sizes[over], notation.sizes[kernel]
    low, long = max(0, -start), stride * (steps - 1) + 1
    high = max(0, start + dilation * (size - 1) + long - x.shape[at])
    config = [(0, 0, 0)] * x.ndim
    config[at] = (low, high, 0)
    x = lax.pad(x, np.float64(0), config)
    begins = [low + start + dilation * k for k in range(size)]
    return jnp.stack([lax.slice_in_dim(x, b, b + long, stride, axis=at) for b in begins], axis=at + 1)

def write(notation, case, y, labels, running):
    """Puts what was computed into the result, whose other elements are neutral."""
    neutral = np.float64(NEUTRAL[case['accumulate']])
    wanted = [name for axis in notation.result for name in loops_of(axis) if name in running]
    order, seen = list(labels), set()
    for place, name in enumerate(wanted):
        if name in seen:
            # A diagonal, with an axis of its own for every time.
            size, at = notation.sizes[name], order.index(name)
            eye = jnp.eye(size, dtype=bool).reshape([size if i in (at, y.ndim) else 1 for i in range(y.ndim + 1)])
            y = jnp.where(eye, y[..., None], neutral)
            wanted[place] = (name, place)
            order.append((name, place))
        seen.add(name)
    y = jnp.transpose(y, [order.index(name) for name in wanted])
    for at, axis in enumerate(notation.result):
        size, form = notation.size(axis, True), axis[0]
        if form == 'fixed':
            y = spread(jnp.expand_dims(y, at), at, axis[1], size, 1, neutral)
        elif form == 'concat':
            [name] = [part for part in axis[1] if part in running]
            before = notation.before(axis[1], name)
            fill = lambda n: jnp.full([*y.shape[:at], n, *y.shape[at + 1:]], neutral)
            y = jnp.concatenate([fill(before), y, fill(size - before - y.shape[at])], axis=at)
        elif form == 'merged':
            y = y.reshape([*y.shape[:at], size, *y.shape[at + len(axis[1]):]])
        elif form == 'affine' and axis[4] is None:
            y = spread(y, at, axis[5], size, axis[1], neutral)
        elif form == 'affine':
            whole = None
            for k in range(notation.sizes[axis[4]]):
                part = lax.index_in_dim(y, k, at + 1, keepdims=False)
                part = spread(part, at, start_of(notation, axis) + axis[3] * k, size, axis[1], neutral)
                whole = part if whole is None else ACCUMULATE[case['accumulate']](whole, part)
            y = whole
    return y

def spread(y, at, start, size, stride, neutral):
    """Every element of an axis a stride after another, from a start that may be outside."""
    long = stride * (y.shape[at] - 1) + 1
    low, high = max(0, start), max(0, size - start - long)
    config = [(0, 0, 0)] * y.ndim
    config[at] = (low, high, stride - 1)
    y = lax.pad(y, neutral, config)
    begin = low - start
    return lax.slice_in_dim(y, begin, begin + size, axis=at)
