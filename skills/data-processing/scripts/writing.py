"""Writes a table in the format that the ending of its name asks for."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from tables import stop


def write_table(frame: pd.DataFrame, path: Path) -> None:
    """Write a table; directories are made as needed."""
    kind = path.suffix.lower()
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == ".csv":
        frame.to_csv(path, index=False)
    elif kind == ".xlsx":
        frame.to_excel(path, index=False)
    elif kind == ".json":
        frame.to_json(path, orient="records", force_ascii=False, date_format="iso", indent=1)
    elif kind == ".md":
        path.write_text(markdown(frame), encoding="utf-8")
    else:
        stop("--output must end in .csv, .xlsx, .json or .md")


def markdown(frame: pd.DataFrame) -> str:
    """Return a table as Markdown."""
    head = [str(name) for name in frame.columns]
    rows = [[text_of(value) for value in row] for row in frame.itertuples(index=False)]
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def text_of(value: object) -> str:
    """Return a cell as Markdown shows it."""
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value).replace("|", "\\|").replace("\n", " ")
