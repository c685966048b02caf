"""Signing in through an OpenID Connect provider."""
