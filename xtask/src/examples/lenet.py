"""A convolutional network: images are batch, height, width; kernels are out, height, width, in."""

def convolution(x, kernel):
    return jax.lax.conv_general_dilated(
        x, kernel, window_strides=(1, 1), padding='VALID', dimension_numbers=('NHWC', 'OHWI', 'NHWC'))

def pool(x):
    batch, height, width, channels = x.shape
    return x.reshape(batch, height // 2, 2, width // 2, 2, channels).max(axis=(2, 4))

def relu(x):
    return jnp.where(x > 0, x, 0)

def loss(p, d):
    # An image of one channel has no axis for it, and its kernel neither: out, height, width.
    x = pool(relu(convolution(d['image'][..., None], p['kernel1'][..., None]) + p['bias1']))
    x = pool(relu(convolution(x, p['kernel2']) + p['bias2']))
    x = x.reshape(x.shape[0], -1)
    x = relu(x @ p['weight3'].T + p['bias3'])
    x = relu(x @ p['weight4'].T + p['bias4'])
    x = x @ p['weight5'].T + p['bias5']
    of_teacher = jax.nn.softmax(d['teacher'], axis=-1)
    return -jnp.mean(jnp.sum(of_teacher * jax.nn.log_softmax(x, axis=-1), axis=-1))
