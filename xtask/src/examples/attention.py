"""Attention of two heads, head by head."""

def loss(p, d):
    mixed = []
    for head in range(p['wq'].shape[0]):
        query = d['to'] @ p['wq'][head].T
        key = d['from'] @ p['wk'][head].T
        value = d['from'] @ p['wv'][head].T
        scores = query @ key.swapaxes(-1, -2) / jnp.sqrt(query.shape[-1])
        mixed.append(jax.nn.softmax(scores, axis=-1) @ value)
    out = sum(part @ p['wo'][:, head].T for head, part in enumerate(mixed))
    return jnp.mean((out - d['labels']) ** 2)
