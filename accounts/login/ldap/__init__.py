"""Signing in with the password of a directory (LDAP, Active Directory). Needs requirements-ldap.txt."""
