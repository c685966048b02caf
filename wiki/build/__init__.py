"""Building pages from documents, one module a step."""
