"""A perceptron of one hidden layer. Weights have their rows first, as in memory: out, in."""

def loss(p, d):
    hidden = jnp.tanh(d['x'] @ p['w1'].T + p['b1'])
    return jnp.mean((hidden @ p['w2'].T + p['b2'] - d['labels']) ** 2)
