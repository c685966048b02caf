"""Reads a table of a common format into a data frame."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

import pandas as pd

ENCODINGS = ("utf-8-sig", "gb18030", "cp1252")


def stop(message: str) -> NoReturn:
    """End with a sentence that says what to do."""
    sys.stderr.write(f"error: {message}\n")
    raise SystemExit(2)


def read_table(path: Path, sheet: str | None = None) -> pd.DataFrame:
    """Return the table of a file; the ending of its name decides how it is read."""
    if not path.is_file():
        stop(f"there is no file {path}; list /workspace/input to see which there are")
    kind = path.suffix.lower()
    try:
        if kind in (".xlsx", ".xlsm"):
            frame = pd.read_excel(path, sheet_name=sheet or 0)
        elif kind == ".json":
            frame = pd.read_json(path)
        elif kind == ".jsonl":
            frame = pd.read_json(path, lines=True)
        elif kind in (".csv", ".tsv", ".txt"):
            frame = _read_text(path, "\t" if kind == ".tsv" else None)
        else:
            stop(f"{path.suffix!r} cannot be read; use csv, tsv, xlsx, json or jsonl")
    except (ValueError, KeyError) as error:
        stop(f"{path.name} cannot be read: {error}")
    frame.columns = [str(name).strip() for name in frame.columns]
    return frame


def _read_text(path: Path, separator: str | None) -> pd.DataFrame:
    for encoding in ENCODINGS:
        try:
            text = path.read_bytes().decode(encoding)
        except UnicodeDecodeError:
            continue
        if separator is None:
            head = text.splitlines()[0] if text.strip() else ""
            separator = max((",", ";", "\t", "|"), key=head.count)
        with path.open(encoding=encoding, newline="") as file:
            return pd.read_csv(file, sep=separator)
    stop(f"{path.name} has no known encoding; save it as UTF-8")


def need_columns(frame: pd.DataFrame, names: list[str]) -> None:
    """Stop when a column is missing, and name those that exist."""
    for name in names:
        if name not in frame.columns:
            stop(f"there is no column {name!r}; there are: {', '.join(frame.columns)}")


def as_numbers(column: pd.Series) -> pd.Series:
    """Return a column as numbers; signs of currencies, blanks and separators are passed over."""
    if pd.api.types.is_numeric_dtype(column):
        return column
    text = column.astype("string").str.replace(r"[\s€$£¥%_]", "", regex=True)
    comma_is_decimal = text.str.fullmatch(r"-?\d{1,3}(\.\d{3})*,\d{1,2}|-?\d+,\d{1,2}").fillna(
        False
    )
    swapped = text.str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
    plain = text.str.replace(",", "", regex=False)
    return pd.to_numeric(swapped.where(comma_is_decimal, plain), errors="coerce")
