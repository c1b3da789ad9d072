"""Run any Python program under the book's variables: `python -m bookkit.run -m jupyter lab`."""

import os
import sys

os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
