"""docs/settings.md and the code name the same variables, with the same defaults."""

from __future__ import annotations

import ast
import re

import pytest

from core.embedded.layout import REPOSITORY_DIR

READERS = {
    *("text", "boolean", "integer", "decimal", "words", "choice", "path", "url_path"),
    *("secret", "redis_url", "database"),
}
OUTSIDE_OF_SETTINGS = {"NO_COLOR", "WEKNORA_SHARED", "WEKNORA_TEST_DIR"}
"""Read elsewhere: by the log of the supervisor and by tests and benchmarks."""


def calls() -> dict[str, ast.Call]:
    """Return the calls of env readers in the settings, by the variable they read."""
    source = (REPOSITORY_DIR / "weknora_site/settings.py").read_text(encoding="utf-8")
    found = {}
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "env"
            and node.func.attr in READERS
            and isinstance(node.args[0], ast.Constant)
        ):
            name = str(node.args[0].value)
            if name not in found or len(node.args) + len(node.keywords) > 1:
                found[name] = node
    return found


def documented() -> dict[str, str]:
    """Return the default that the page gives, by variable."""
    page = (REPOSITORY_DIR / "docs/settings.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([A-Z0-9_]+)`[^|]*\| ([^|]*)\|", page, flags=re.MULTILINE)
    names = [name for name, _ in rows]
    assert len(names) == len(set(names)), "a variable is described twice"
    return {name: default.strip() for name, default in rows}


def from_yaml() -> set[str]:
    """Return the variables of the built-in models."""
    text = (REPOSITORY_DIR / "providers/builtin_models.yaml").read_text(encoding="utf-8")
    entries = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return set(re.findall(r"\$\{([A-Z_]+)", entries))


def literal_defaults() -> list[tuple[str, str]]:
    """Return variable and default where the code has a plain value."""
    found = []
    for name, call in calls().items():
        candidates = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "default")]
        if candidates and isinstance(candidates[0], ast.Constant):
            value = candidates[0].value
            found.append((name, str(value).lower() if isinstance(value, bool) else str(value)))
    return found


def test_every_variable_is_described_and_every_description_is_true():
    assert set(documented()) == set(calls()) | from_yaml() | OUTSIDE_OF_SETTINGS


@pytest.mark.parametrize(("name", "default"), literal_defaults(), ids=lambda value: value)
def test_default_is_the_one_of_the_code(name, default):
    assert documented()[name] == f"`{default}`"


def test_secrets_are_marked():
    page = (REPOSITORY_DIR / "docs/settings.md").read_text(encoding="utf-8")
    marked = set(re.findall(r"^\| `([A-Z0-9_]+)` 🔑", page, flags=re.MULTILINE))
    secret = {
        name
        for name, call in calls().items()
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in ("secret", "redis_url", "database")
    }
    assert marked == secret
