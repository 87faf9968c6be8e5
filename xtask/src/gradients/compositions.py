# Compositions by what each operation means, in JAX; and their first and second derivatives.
# Specifications are those of notation.py and second.py, windows as slices that are stacked.
KEPT = 100

def pool(notation, case, tensors, running):
    return None  # a maximum over windows with dilation has no gradient there

def convolve(notation, case, tensors, running):
    return None  # gradients of strides crop, which XLA's processor back end does not always survive

def signed_product(x, axis):
    return jnp.prod(x, axis=axis)

NEUTRAL['product'] = 1.0
ACCUMULATE['product'] = jnp.multiply
REDUCE['product'] = signed_product

SECOND_OF = {
    'relu': jax.nn.relu,
    'sat01': lambda x: jnp.where((x > 0) & (x < 1), x, jnp.where(x >= 1, 1.0, 0.0)),
    'exp': jnp.exp, 'log': jnp.log, 'exp2': jnp.exp2, 'log2': jnp.log2, 'sin': jnp.sin, 'cos': jnp.cos,
    'sqrt': jnp.sqrt, 'recip': lambda x: 1 / x, 'recip_sqrt': lambda x: 1 / jnp.sqrt(x),
    'neg': jnp.negative, 'tanh': jnp.tanh, 'trunc': jnp.trunc,
}

OF_TWO = {
    'arg1': lambda a, b: a + 0 * b, 'arg2': lambda a, b: b + 0 * a,
    'add': jnp.add, 'sub': jnp.subtract, 'mul': jnp.multiply, 'div': jnp.divide, 'pow': jnp.power,
    'relu_gate': lambda a, b: jnp.where(a > 0, b, 0.0),
    'sat01_gate': lambda a, b: jnp.where((a > 0) & (a < 1), b, 0.0),
    'mod': jnp.fmod, 'max': jnp.maximum, 'min': jnp.minimum,
}

OF_THREE = {
    'where': lambda a, b, c: jnp.where(a < 0.25, b, c),
    'fma': lambda a, b, c: a * b + c,
    'mul3': lambda a, b, c: a * b * c,
}

def memory(shape):
    batch, inputs, outputs = shape
    return [*batch, *outputs, *inputs]

def count(sizes):
    return int(np.prod(sizes, dtype=int))

def aligned(tensors, shapes):
    """Each with as many axes in every row as the longest has; those that are missing come first."""
    most = [max(len(shape[row]) for shape in shapes) for row in range(3)]
    fill = lambda shape: [[1] * (n - len(row)) + row for n, row in zip(most, shape)]
    return [x.reshape(memory(fill(shape))) for x, shape in zip(tensors, shapes)]

def composed(w, x, w_shape, x_shape):
    (_, between, written), (batch, read, _) = w_shape, x_shape
    batched = w_shape[0]
    assert batched in ([], batch)
    # In memory: batch, output, input.
    w = w.reshape(count(batched), count(written), count(between))
    x = x.reshape(count(batch), count(between), count(read))
    w = jnp.broadcast_to(w, (x.shape[0], *w.shape[1:]))
    return jnp.einsum('bok,bki->boi', w, x, precision=lax.Precision.HIGHEST).reshape([*batch, *written, *read])

def transposed(x, shape):
    batch, inputs, outputs = shape
    x = x.reshape(count(batch), count(outputs), count(inputs))
    return jnp.swapaxes(x, 1, 2).reshape([*batch, *inputs, *outputs])

def specified(node, tensors, shapes):
    accumulate = node['accumulate']
    under = {'subtract': 'sum', 'divide': 'product'}.get(accumulate, accumulate)
    case = {**node, 'shapes': shapes, 'accumulate': under}
    y = program(Notation(case), case, tensors)
    return {'subtract': lambda: -y, 'divide': lambda: 1 / y}.get(accumulate, lambda: y)()

def gathered(table, indices):
    rows = table.shape[0]
    inside = (indices >= 0) & (indices < rows)
    taken = table[jnp.clip(indices, 0, rows - 1)]
    return jnp.where(inside.reshape(inside.shape + (1,) * (taken.ndim - inside.ndim)), taken, 0.0)

def averaged(node, x, shape):
    batch, inputs, outputs = shape
    # `first` or `last` of the output axes goes.
    at = len(batch) + (0 if 'first' in node['spec'] else len(outputs) - 1)
    return jnp.mean(x, axis=at)

def updated(node, target, of, shapes):
    if node['logic'] == 'compose':
        value = composed(*of, *shapes)
    elif node['logic'] == 'transpose':
        value = transposed(jnp.sin(of[0]), shapes[0])
    elif node['logic'] == 'spec':
        value = of[0] @ of[1]
    else:
        value = jnp.sin(of[0]) if len(of) == 1 else of[0] * of[1]
    return {'add': target + value, 'subtract': target - value, 'set': value}[node['by']]

def step(node, of, shapes, shape):
    op = node['op']
    if op == 'number':
        return jnp.full(memory(shape), node['number'])
    if op == 'unary':
        return SECOND_OF[node['name']](of[0])
    if op == 'binary':
        return OF_TWO[node['name']](*aligned(of, shapes))
    if op == 'ternary':
        return OF_THREE[node['name']](*aligned(of, shapes))
    if op == 'compose':
        return composed(*of, *shapes)
    if op == 'transpose':
        return transposed(of[0], shapes[0])
    if op == 'spec':
        return specified(node, of, shapes)
    if op == 'reshape':
        return of[0].reshape(memory(shape))
    if op in ('concat', 'stack'):
        return {'concat': jnp.concatenate, 'stack': jnp.stack}[op](of, axis=len(shape[0]))
    if op == 'interleave':
        at = len(shapes[0][0]) + len(shapes[0][2])
        return jnp.stack(of, axis=at).reshape(memory(shape))
    if op == 'gather':
        return gathered(*of)
    if op in ('mean', 'size'):
        return averaged(node, of[0], shapes[0])
    if op == 'count':
        return of[0] / np.sqrt(of[0].size) if node['is_root'] else of[0] * of[0].size
    if op == 'stop':
        return lax.stop_gradient(of[0])
    if op == 'convert':
        return of[0]
    if op == 'update':
        return updated(node, of[0], of[1:], shapes[1:])
    raise ValueError(op)

def loss_of(composition):
    nodes = composition['nodes']
    def loss(flat):
        tensors, begin = [], 0
        for node in nodes:
            shape = memory(node['shape'])
            if node['op'] == 'leaf' and node['wanted']:
                x, begin = flat[begin:begin + count(shape)].reshape(shape), begin + count(shape)
            elif node['op'] == 'leaf':
                x = np.array(node['values'], dtype=int).reshape(shape)
            else:
                of = [tensors[place] for place in node['of']]
                x = step(node, of, [nodes[place]['shape'] for place in node['of']], node['shape'])
                # What meets a number has an axis of 1 more, where it had no output axes.
                long = lambda sizes: [size for size in sizes if size != 1]
                assert long(x.shape) == long(shape), f"{node['op']}: {list(x.shape)}, not {shape}"
                x = x.reshape(shape)
            tensors.append(x)
        weights = np.array(composition['weights']).reshape(tensors[-1].shape)
        return jnp.sum(tensors[-1] * weights)
    return loss

answered = 0
for line in sys.stdin:
    case = json.loads(line)
    composition = case['composition']
    leaves = [node['values'] for node in composition['nodes'] if node['op'] == 'leaf' and node['wanted']]
    point = np.array([x for values in leaves for x in values], dtype=np.float64)
    try:
        loss = loss_of(composition)
        both = lambda x: jax.value_and_grad(loss)(x)
        if case['is_twice']:
            both = lambda x: (*jax.value_and_grad(loss)(x), jax.hessian(loss)(x))
        value, slope, *curvature = jax.jit(both)(point)
        rows = [float(value)], slope.ravel().tolist(), *(matrix.ravel().tolist() for matrix in curvature)
        print(*(' '.join(map(repr, row)) for row in rows), sep=' : ')
    except Exception as refusal:
        print(f'! {type(refusal).__name__}: {refusal}'.replace('\n', ' '))
    answered += 1
    if answered % KEPT == 0:
        jax.clear_caches()
