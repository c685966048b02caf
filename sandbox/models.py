"""All rows of this app."""

from sandbox import skill_models as skill_models
