"""Pages: writing them, where they stand, their history."""
