"""The Git mirror of a base's wiki: a repository whose commits are the revisions of its pages."""
