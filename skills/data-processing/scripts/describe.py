"""Prints as JSON what a table holds, and what is odd about it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pandas as pd
from tables import as_numbers, read_table

MOSTLY = 0.9
"""Share of a column's values that must be of a kind."""


def main() -> None:
    """Read the arguments and print the profile."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", required=True)
    parser.add_argument("--sheet")
    arguments = parser.parse_args()
    frame = read_table(Path(arguments.input), arguments.sheet)
    columns = [describe(frame[name]) for name in frame.columns]
    profile = {
        "rows": len(frame),
        "duplicate_rows": int(frame.astype(str).duplicated().sum()),
        "empty_rows": int(frame.isna().all(axis=1).sum()),
        "columns": columns,
        "warnings": [each["warning"] for each in columns if "warning" in each],
    }
    print(json.dumps(profile, ensure_ascii=False, indent=1))


def describe(column: pd.Series) -> dict[str, Any]:
    """Return the profile of a column."""
    present = column.dropna()
    found: dict[str, Any] = {"name": column.name, "missing": int(column.isna().sum())}
    numbers = as_numbers(present)
    if len(present) and numbers.notna().mean() >= MOSTLY:
        found.update(kind="number", smallest=float(numbers.min()), largest=float(numbers.max()))
        found.update(sum=float(numbers.sum()), mean=float(numbers.mean()))
        if not pd.api.types.is_numeric_dtype(column):
            found["warning"] = f"{column.name}: numbers stored as text; clean with --numbers"
        return found
    dates = pd.to_datetime(present.astype(str), errors="coerce", format="mixed")
    if len(present) and dates.notna().mean() >= MOSTLY:
        found.update(kind="date", first=str(dates.min().date()), last=str(dates.max().date()))
        return found
    texts = present.astype(str)
    found.update(kind="text", different=int(texts.nunique()))
    found["most_frequent"] = {str(k): int(v) for k, v in texts.value_counts().head(5).items()}
    if (texts != texts.str.strip()).any():
        found["warning"] = f"{column.name}: blanks around values; clean with --trim"
    return found


if __name__ == "__main__":
    main()
