"""Cleans a table into a new file; prints as JSON what changed."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pandas as pd
from tables import as_numbers, need_columns, read_table
from writing import write_table


def main() -> None:
    """Read the arguments, clean and report."""
    arguments = read_arguments()
    frame = read_table(Path(arguments.input), arguments.sheet)
    report: dict[str, object] = {"rows_before": len(frame)}
    if arguments.trim:
        frame = frame.apply(trimmed)
    if arguments.drop_empty:
        kept = frame.dropna(how="all").dropna(how="all", axis=1)
        report["empty_rows_dropped"] = len(frame) - len(kept)
        frame = kept
    for name in names(arguments.numbers, frame):
        numbers = as_numbers(frame[name])
        report[f"not_a_number_in_{name}"] = int((numbers.isna() & frame[name].notna()).sum())
        frame[name] = numbers
    for name in names(arguments.dates, frame):
        dates = pd.to_datetime(frame[name].astype(str), errors="coerce", format="mixed")
        report[f"not_a_date_in_{name}"] = int((dates.isna() & frame[name].notna()).sum())
        frame[name] = dates.dt.strftime("%Y-%m-%d")
    if arguments.drop_duplicates:
        kept = frame.drop_duplicates()
        report["duplicates_dropped"] = len(frame) - len(kept)
        frame = kept
    write_table(frame, Path(arguments.output))
    print(json.dumps({**report, "rows": len(frame), "written": arguments.output}))


def read_arguments() -> argparse.Namespace:
    """Return the command line's arguments."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", required=True)
    parser.add_argument("--sheet")
    parser.add_argument("--output", required=True)
    parser.add_argument("--trim", action="store_true")
    parser.add_argument("--drop-empty", action="store_true")
    parser.add_argument("--drop-duplicates", action="store_true")
    parser.add_argument("--numbers", default="", help="columns with commas")
    parser.add_argument("--dates", default="", help="columns with commas")
    return parser.parse_args()


def names(text: str, frame: pd.DataFrame) -> list[str]:
    """Return the named columns, all of which exist."""
    found = [name.strip() for name in text.split(",") if name.strip()]
    need_columns(frame, found)
    return found


def trimmed(column: pd.Series) -> pd.Series:
    """Return a column without blanks around texts; an empty text is no value."""
    if pd.api.types.is_numeric_dtype(column):
        return column
    return column.map(lambda value: (value.strip() or None) if isinstance(value, str) else value)


if __name__ == "__main__":
    main()
