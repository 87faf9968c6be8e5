"""A gated recurrent cell, scanned over time."""

def loss(p, d):
    def half(name, x, state):
        return x @ p[name + '.input'].T + state @ p[name + '.state'].T + p[name + '.bias']

    def step(state, x):
        forget = jax.nn.sigmoid(half('forget', x, state))
        candidate = jnp.tanh(half('candidate', x, forget * state))
        return (1 - forget) * state + forget * candidate, None

    last, _ = jax.lax.scan(step, d['start'], d['x'].swapaxes(0, 1))
    return jnp.mean((last @ p['out'].T - d['labels']) ** 2)
