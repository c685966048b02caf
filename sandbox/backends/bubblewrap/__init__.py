"""Commands in name spaces of their own by `bwrap`: a new one for each, over a lasting directory."""
