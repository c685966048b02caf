"""Signing in: passwords, lock-out, two-factor, sessions, OIDC, LDAP, and who may get an account."""
