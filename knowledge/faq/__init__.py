"""Bases of questions and answers: rules, services, index, search, import and export of entries."""
