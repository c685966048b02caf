"""Filters a table and adds its values up by group; prints as JSON what came out."""

from __future__ import annotations

import argparse
import json
import operator
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from tables import as_numbers, need_columns, read_table, stop
from writing import write_table

HOWS = ("sum", "mean", "median", "min", "max", "count")
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
CONDITION = re.compile(r"^(.+?)\s*(!=|>=|<=|=|>|<|~)\s*(.*)$")


def main() -> None:
    """Read the arguments, summarise and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", required=True)
    parser.add_argument("--sheet")
    parser.add_argument("--where", action="append", default=[], help="such as amount>=100")
    parser.add_argument("--by", default="", help="columns with commas; none: one total")
    parser.add_argument("--values", default="", help="columns with commas; none: the rows")
    parser.add_argument("--how", default="sum", help=f"of {', '.join(HOWS)}, with commas")
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    frame = read_table(Path(arguments.input), arguments.sheet)
    kept = frame
    for condition in arguments.where:
        kept = kept[holds(kept, condition)]
    result = summed(kept, words(arguments.by), words(arguments.values), words(arguments.how))
    write_table(result, Path(arguments.output))
    report = {
        "rows_read": len(frame),
        "rows_used": len(kept),
        "rows_written": len(result),
        "written": arguments.output,
        "first": json.loads(result.head(20).to_json(orient="records", force_ascii=False)),
    }
    print(json.dumps(report, ensure_ascii=False))


def words(text: str) -> list[str]:
    """Return the parts between commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def holds(frame: pd.DataFrame, condition: str) -> pd.Series:
    """Return for each row whether a condition holds."""
    found = CONDITION.match(condition)
    if found is None:
        stop(f"{condition!r} is no condition; write such as amount>=100 or city~York")
    name, sign, value = found[1].strip(), found[2], found[3].strip()
    need_columns(frame, [name])
    if sign == "~":
        return (
            frame[name].astype("string").str.contains(value, case=False, regex=False).fillna(False)
        )
    try:
        wanted = float(value)
    except ValueError:
        return COMPARE[sign](frame[name].astype(str).str.strip(), value)
    return COMPARE[sign](as_numbers(frame[name]), wanted)


def summed(frame: pd.DataFrame, by: list[str], values: list[str], hows: list[str]) -> pd.DataFrame:
    """Return the values by group; the rows themselves when no values are named."""
    need_columns(frame, [*by, *values])
    unknown = [how for how in hows if how not in HOWS]
    if unknown:
        stop(f"{unknown[0]!r} is unknown; use {', '.join(HOWS)}")
    if not values:
        return frame if not by else frame.groupby(by, sort=True).size().reset_index(name="count")
    numbers = frame.assign(**{name: as_numbers(frame[name]) for name in values})
    if not by:
        totals = {f"{name}_{how}": [numbers[name].agg(how)] for name in values for how in hows}
        return pd.DataFrame(totals)
    grouped = numbers.groupby(by, sort=True)[values].agg(hows)
    grouped.columns = [f"{name}_{how}" for name, how in grouped.columns]
    return grouped.reset_index()


if __name__ == "__main__":
    main()
