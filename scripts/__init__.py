"""Programs that developers and `make` run."""
