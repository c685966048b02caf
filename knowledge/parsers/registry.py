"""All parsers. A parser is added by adding a module to this package that sets `PARSER`.

Importing them loads every document library: only the parser process does that, once.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from knowledge import parsers
from knowledge.parsers.contract import Parser


@cache
def parsers_by_type() -> dict[str, Parser]:
    """Return the parser of each of our names of types.

    Raises:
        RuntimeError: two modules claim the same type.
    """
    found: dict[str, Parser] = {}
    for module_info in sorted(pkgutil.iter_modules(parsers.__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{parsers.__name__}.{module_info.name}")
        parser = getattr(module, "PARSER", None)
        if not isinstance(parser, Parser):
            continue
        for file_type in parser.file_types:
            if file_type in found:
                raise RuntimeError(
                    f"{parser.name!r} and {found[file_type].name!r} both read {file_type!r}; "
                    "remove it from one of them."
                )
            found[file_type] = parser
    return found
