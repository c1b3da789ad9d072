#!/usr/bin/env bash
# Make a codespace ready: both environments, the notebooks, and a look at both kernels, which fails
# the creation where one of them does not answer.
set -euo pipefail
cd "$(dirname "$0")/.."
make environments
.venv/bin/python -m bookkit.formats.notebooks
make doctor
