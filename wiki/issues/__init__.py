"""What is wrong with pages: flags, lint, fixes."""
