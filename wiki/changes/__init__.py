"""Change requests: the only way text gets published."""
