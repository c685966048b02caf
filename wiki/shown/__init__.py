"""What the pages of the wiki show: contexts of templates, made of what the actor may read."""
