"""One way to run untrusted commands a module; `registry` gives them by name."""
