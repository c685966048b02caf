"""Doors of the wiki for people."""
