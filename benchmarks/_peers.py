"""Reads files with another system and writes one line of JSON a file; run by `parsing.py`.

Started as `PYTHON benchmarks/_peers.py SYSTEM FOLDER`, maybe in another environment: it imports
nothing of ours.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path


def reader_of(system: str) -> Callable[[Path], str]:
    """Return the function that gives a file's Markdown."""
    if system == "markitdown":
        from markitdown import MarkItDown  # noqa: PLC0415 - only where it is installed

        converter = MarkItDown()
        return lambda path: str(converter.convert(str(path)).text_content)
    import kreuzberg  # noqa: PLC0415 - only where it is installed

    settings = kreuzberg.ExtractionConfig(output_format="markdown")
    return lambda path: str(kreuzberg.extract_file_sync(path, config=settings).content)


def main() -> None:
    """Read every file twice, the first time to warm up."""
    read, folder = reader_of(sys.argv[1]), Path(sys.argv[2])
    for is_warm in (False, True):
        for path in sorted(path for path in folder.iterdir() if path.is_file()):
            started = time.process_time()
            try:
                text, failed = read(path), ""
            except Exception as error:  # noqa: BLE001 - a file that fails is a result here
                text, failed = "", repr(error)[:200]
            if is_warm:
                line = {
                    "file": path.name,
                    "text": text,
                    "failed": failed,
                    "cpu": time.process_time() - started,
                    "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
                }
                sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
