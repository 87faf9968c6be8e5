
# What follows is the same for every model, whose `loss` stands above.

asked = json.load(sys.stdin)
parameters, data = (
    {name: jnp.array(one['elements'], jnp.float64).reshape(one['sizes']) for name, one in asked[kind].items()}
    for kind in ('parameters', 'data'))
with_gradients = jax.jit(jax.value_and_grad(loss))

def each(function, *trees):
    return jax.tree.map(function, *trees)

def sgd(rate, momentum, decay, steps):
    @jax.jit
    def step(weights, velocity):
        value, gradients = jax.value_and_grad(loss)(weights, data)
        velocity = each(lambda v, g, w: momentum * v + (g + decay * w), velocity, gradients, weights)
        return value, each(lambda w, v: w - rate * v, weights, velocity), velocity

    weights, velocity = parameters, each(jnp.zeros_like, parameters)
    for _ in range(steps):
        value, weights, velocity = step(weights, velocity)
    return value, weights

def adam(rate, steps, fast=0.9, slow=0.999, epsilon=1e-8):
    @jax.jit
    def step(weights, mean, square, number):
        value, gradients = jax.value_and_grad(loss)(weights, data)
        mean = each(lambda m, g: fast * m + (1 - fast) * g, mean, gradients)
        square = each(lambda s, g: slow * s + (1 - slow) * g ** 2, square, gradients)
        def moved(w, m, s):
            return w - rate * (m / (1 - fast ** number)) / (jnp.sqrt(s / (1 - slow ** number)) + epsilon)
        return value, each(moved, weights, mean, square), mean, square

    weights = parameters
    mean, square = each(jnp.zeros_like, weights), each(jnp.zeros_like, weights)
    for number in range(1, steps + 1):
        value, weights, mean, square = step(weights, mean, square, float(number))
    return value, weights

def flat(value, tensors):
    return {'loss': float(value), 'tensors': {name: one.ravel().tolist() for name, one in tensors.items()}}

json.dump({
    'gradients': flat(*with_gradients(parameters, data)),
    'sgd': flat(*sgd(asked['rate'], 0.9, 1e-4, asked['steps'])),
    'adam': flat(*adam(asked['rate'], asked['steps'])),
}, sys.stdout)
