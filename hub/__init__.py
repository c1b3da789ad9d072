"""The book on a JupyterHub; each command runs as `python -m hub.NAME`."""
