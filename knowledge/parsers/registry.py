"""All engines. One is added by adding a module to this package that sets `PARSER` (or `PARSERS`).

Importing them loads every document library: only the parser process does that, once.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache

from knowledge import parsers
from knowledge.parsers.contract import Parser


@cache
def engines_by_type() -> dict[str, tuple[Parser, ...]]:
    """Return the engines of each of our names of types, the one to ask first at the head.

    Raises:
        RuntimeError: two engines have one name, or the same rank for a type.
    """
    found: dict[str, list[Parser]] = {}
    names: set[str] = set()
    for parser in _all_parsers():
        if parser.name in names:
            raise RuntimeError(f"Two engines are called {parser.name!r}; rename one of them.")
        names.add(parser.name)
        for file_type in parser.file_types:
            others = found.setdefault(file_type, [])
            if any(other.rank == parser.rank for other in others):
                raise RuntimeError(
                    f"{parser.name!r} and another engine of rank {parser.rank} both read "
                    f"{file_type!r}; give one of them another rank."
                )
            others.append(parser)
    return {
        file_type: tuple(sorted(engines, key=lambda engine: engine.rank))
        for file_type, engines in found.items()
    }


def engines_for(file_type: str, *, preferred: str = "") -> tuple[Parser, ...]:
    """Return the engines of a type in the order to ask them; `preferred` comes first."""
    engines = (
        engine
        for engine in engines_by_type().get(file_type, ())
        if engine.automatic or engine.name == preferred
    )
    return tuple(sorted(engines, key=lambda engine: engine.name != preferred))


def _all_parsers() -> Iterator[Parser]:
    for module_info in sorted(pkgutil.iter_modules(parsers.__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{parsers.__name__}.{module_info.name}")
        parser = getattr(module, "PARSER", None)
        if isinstance(parser, Parser):
            yield parser
        yield from getattr(module, "PARSERS", ())
