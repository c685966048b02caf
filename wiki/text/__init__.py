"""Pure functions over the Markdown of pages."""
