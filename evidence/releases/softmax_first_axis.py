"""The softmax over the first axis of an array whose other axes have length one, compiled."""

import jax
import numpy as np

logits = np.random.default_rng(0).normal(size=(3, 1, 1)).astype(np.float32)

got = np.asarray(jax.jit(lambda x: jax.nn.softmax(x, axis=0))(logits), np.float64)
powers = np.exp(logits.astype(np.float64))
expected = powers / powers.sum(axis=0)
wrong = ~np.isclose(got, expected, rtol=1e-3)
print(wrong.sum(), "of", wrong.size)
