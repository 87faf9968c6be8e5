
# What follows is the same for every model, whose `loss` stands above.

asked = json.load(sys.stdin)
parameters, data = (
    {name: jnp.array(one['elements'], jnp.float64).reshape(one['sizes']) for name, one in asked[kind].items()}
    for kind in ('parameters', 'data'))
with_gradients = jax.jit(jax.value_and_grad(loss))

def each(function, *trees):
    return jax.tree.map(function, *trees)

def sgd(rate, momentum, decay, steps):
    weights, velocity = parameters, each(jnp.zeros_like, parameters)
    for _ in range(steps):
        value, gradients = with_gradients(weights, data)
        velocity = each(lambda v, g, w: momentum * v + (g + decay * w), velocity, gradients, weights)
        weights = each(lambda w, v: w - rate * v, weights, velocity)
    return value, weights

def adam(rate, steps, fast=0.9, slow=0.999, epsilon=1e-8):
    weights = parameters
    mean, square = each(jnp.zeros_like, weights), each(jnp.zeros_like, weights)
    for step in range(1, steps + 1):
        value, gradients = with_gradients(weights, data)
        mean = each(lambda m, g: fast * m + (1 - fast) * g, mean, gradients)
        square = each(lambda s, g: slow * s + (1 - slow) * g ** 2, square, gradients)
        corrected = each(lambda m: m / (1 - fast ** step), mean), each(lambda s: s / (1 - slow ** step), square)
        weights = each(lambda w, m, s: w - rate * m / (jnp.sqrt(s) + epsilon), weights, *corrected)
    return value, weights

def flat(value, tensors):
    return {'loss': float(value), 'tensors': {name: one.ravel().tolist() for name, one in tensors.items()}}

json.dump({
    'gradients': flat(*with_gradients(parameters, data)),
    'sgd': flat(*sgd(asked['rate'], 0.9, 1e-4, asked['steps'])),
    'adam': flat(*adam(asked['rate'], asked['steps'])),
}, sys.stdout)
