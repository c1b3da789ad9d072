"""Every distribution of NumPyro in every construct, each cell computed in two ways."""
