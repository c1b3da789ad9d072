"""The inverse of twenty complex matrices that are symmetric, and not Hermitian, with SciPy."""

import numpy as np
from scipy import linalg

draw = np.random.default_rng(0)
found = []
for size in range(2, 22):
    matrix = np.eye(size) * size + 1j * draw.normal(size=(size, size))
    matrix = (matrix + matrix.T) / 2
    got = linalg.inv(matrix)
    expected = np.linalg.inv(matrix)
    found.append(not np.allclose(got, expected, rtol=1e-3))
print(sum(found), "of", len(found))
