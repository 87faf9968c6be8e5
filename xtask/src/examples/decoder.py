"""A decoder block: causal attention and a perceptron, each after a layer norm and beside a residual."""

def layer_norm(x, gain, shift):
    mean, variance = jnp.mean(x, axis=-1, keepdims=True), jnp.var(x, axis=-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * gain + shift

def causal_attention(x, p):
    query, key, value = (jnp.einsum('hdi,bsi->bhsd', p[w], x) for w in ('wq', 'wk', 'wv'))
    scores = jnp.einsum('bhqd,bhkd->bhqk', query, key) / query.shape[-1] ** 0.5
    places = x.shape[1]
    scores = jnp.where(jnp.tril(jnp.ones((places, places), bool)), scores, -jnp.inf)
    mixed = jnp.einsum('bhqk,bhke->bqhe', jax.nn.softmax(scores, axis=-1), value)
    return jnp.einsum('ohe,bqhe->bqo', p['wo'], mixed)

def loss(p, d):
    x = d['x']
    x = x + causal_attention(layer_norm(x, p['before.gain'], p['before.shift']), p)
    hidden = layer_norm(x, p['between.gain'], p['between.shift']) @ p['w1'].T + p['b1']
    x = x + (hidden * jax.nn.sigmoid(1.702 * hidden)) @ p['w2'].T + p['b2']
    return jnp.mean((x - d['labels']) ** 2)
