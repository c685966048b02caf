"""Draws one chart from a table; prints as JSON what was drawn."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from tables import as_numbers, need_columns, read_table, stop

KINDS = ("bar", "line", "area", "scatter", "pie", "hist", "box")
COLOURS = ("#3b6fb6", "#d9822b", "#3f9b6c", "#b5485d", "#7d5fb2", "#6b7785", "#c2a83e", "#2f9aa8")
MOST_ROWS = 200_000
FONTS = ["Noto Sans CJK SC", "Noto Sans", "DejaVu Sans"]


def main() -> None:
    """Read the arguments, draw, and report."""
    arguments = read_arguments()
    frame = read_table(Path(arguments.input), arguments.sheet)
    if arguments.columns:
        show_columns(frame)
        return
    if not arguments.kind or not arguments.output:
        stop("--kind and --output are needed to draw")
    if len(frame) > MOST_ROWS:
        stop(f"the table has {len(frame)} rows, more than {MOST_ROWS}; aggregate it first")
    series, used = prepare(frame, arguments)
    draw(series, arguments)
    numbers = series.to_numpy(dtype=float).ravel()
    report = {
        "chart": arguments.output,
        "rows_used": used,
        "rows_left_out": len(frame) - used,
        "points": len(series),
        "smallest": float(numbers.min()),
        "largest": float(numbers.max()),
    }
    print(json.dumps(report, ensure_ascii=False))


def read_arguments() -> argparse.Namespace:
    """Return the command line's arguments."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", required=True)
    parser.add_argument("--sheet", help="name of a sheet of an Excel file")
    parser.add_argument("--columns", action="store_true", help="only show the columns")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--x")
    parser.add_argument("--y", help="columns with commas")
    parser.add_argument("--group", help="one series of each value of this column")
    parser.add_argument("--aggregate", choices=("sum", "mean", "median", "count", "min", "max"))
    parser.add_argument("--top", type=int)
    parser.add_argument("--sort", choices=("value", "x", "none"), default="none")
    parser.add_argument("--title", default="")
    parser.add_argument("--x-label")
    parser.add_argument("--y-label")
    for name in ("horizontal", "stacked", "log"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--width", type=float, default=9.0)
    parser.add_argument("--height", type=float, default=5.0)
    parser.add_argument("--dpi", type=int, default=150)
    parser.add_argument("--output", help="ends in .png or .svg")
    return parser.parse_args()


def show_columns(frame: pd.DataFrame) -> None:
    """Print the columns with their kind and some values."""
    columns = [
        {
            "name": name,
            "numbers": int(as_numbers(frame[name]).notna().sum()),
            "different": int(frame[name].astype(str).nunique()),
            "examples": [str(value) for value in frame[name].dropna().head(3)],
        }
        for name in frame.columns
    ]
    print(json.dumps({"rows": len(frame), "columns": columns}, ensure_ascii=False, indent=1))


def prepare(frame: pd.DataFrame, arguments: argparse.Namespace) -> tuple[pd.DataFrame, int]:
    """Return the values to draw, a column each series, and how many rows they come from."""
    counts = arguments.aggregate == "count" and not arguments.y
    names = [name.strip() for name in (arguments.y or "").split(",") if name.strip()]
    if counts:
        frame, names = frame.assign(count=1), ["count"]
    if not names:
        stop("--y is needed: the column with the numbers")
    others = [name for name in (arguments.x, arguments.group) if name]
    need_columns(frame, [*names, *others])
    values = frame[[*dict.fromkeys([*others, *names])]].copy()
    for name in names:
        values[name] = as_numbers(frame[name])
    values = values.dropna()
    if values.empty:
        stop(f"no row has a number in {', '.join(names)}")
    used = len(values)
    if arguments.kind == "box" and arguments.group:
        return values.pivot(columns=arguments.group, values=names[0]), used
    if arguments.kind in ("hist", "box"):
        return values[names], used
    if not arguments.x:
        stop(f"--x is needed for {arguments.kind}")
    if arguments.kind == "scatter":
        return values.set_index(arguments.x)[names], used
    return ordered(joined(values, names, arguments), arguments), used


def joined(values: pd.DataFrame, names: list[str], arguments: argparse.Namespace) -> pd.DataFrame:
    """Return one row for each x."""
    keys = [name for name in (arguments.x, arguments.group) if name]
    if arguments.aggregate:
        how = (
            "sum" if arguments.aggregate == "count" and names == ["count"] else arguments.aggregate
        )
        values = values.groupby(keys, sort=False)[names].agg(how).reset_index()
    elif values.duplicated(keys).any():
        stop(f"{' and '.join(keys)} repeat; add --aggregate sum (or mean, count …)")
    if arguments.group:
        return values.pivot(index=arguments.x, columns=arguments.group, values=names[0]).fillna(0)
    return values.set_index(arguments.x)[names]


def ordered(series: pd.DataFrame, arguments: argparse.Namespace) -> pd.DataFrame:
    """Return the rows in the wished order, the smallest added up when only some are wanted."""
    if arguments.kind in ("line", "area"):
        as_dates = pd.to_datetime(
            pd.Series(series.index.astype(str)), errors="coerce", format="mixed"
        )
        if not pd.api.types.is_numeric_dtype(series.index) and as_dates.notna().all():
            series = series.set_axis(pd.DatetimeIndex(as_dates)).sort_index()
    if arguments.sort == "x":
        series = series.sort_index()
    elif arguments.sort == "value" or arguments.top:
        series = series.loc[series.sum(axis=1).sort_values(ascending=False).index]
    if arguments.top and len(series) > arguments.top:
        rest = series.iloc[arguments.top :].sum().to_frame("Other").T
        series = pd.concat([series.iloc[: arguments.top], rest])
    return series


def draw(series: pd.DataFrame, arguments: argparse.Namespace) -> None:
    """Draw the values into the file."""
    output = Path(arguments.output)
    if output.suffix.lower() not in (".png", ".svg"):
        stop("--output must end in .png or .svg")
    output.parent.mkdir(parents=True, exist_ok=True)
    known = {font.name for font in mpl.font_manager.fontManager.ttflist}
    mpl.rcParams["font.family"] = [name for name in FONTS if name in known] or ["sans-serif"]
    mpl.rcParams["axes.prop_cycle"] = mpl.cycler(color=COLOURS)
    figure, axes = plt.subplots(figsize=(arguments.width, arguments.height))
    plot(axes, series, arguments)
    decorate(axes, series, arguments)
    figure.tight_layout()
    figure.savefig(output, dpi=arguments.dpi)
    plt.close(figure)


def plot(axes: Axes, series: pd.DataFrame, arguments: argparse.Namespace) -> None:
    """Draw the values by the kind of chart."""
    kind = arguments.kind
    if kind == "pie":
        sizes = series.iloc[:, 0]
        if (sizes < 0).any():
            stop("a pie cannot show negative values; use bar")
        axes.pie(
            sizes, labels=[str(each) for each in sizes.index], autopct="%.1f %%", startangle=90
        )
    elif kind == "hist":
        axes.hist(
            [series[name] for name in series], bins="auto" if len(series.columns) == 1 else 20
        )
    elif kind == "box":
        axes.boxplot([series[name].dropna() for name in series])
        axes.set_xticklabels([str(name) for name in series])
    elif kind == "scatter":
        for name in series:
            axes.scatter(series.index, series[name], s=18, alpha=0.7, label=str(name))
    else:
        options: dict[str, Any] = {"ax": axes, "legend": False, "stacked": arguments.stacked}
        if kind == "line":
            options.update(marker="o" if len(series) <= 40 else None)
            options.pop("stacked")
        if kind == "area":
            options.update(stacked=True, alpha=0.8)
        if kind == "bar" and arguments.horizontal:
            kind, series = "barh", series.iloc[::-1]
        series.plot(kind=kind, **options)


def decorate(axes: Axes, series: pd.DataFrame, arguments: argparse.Namespace) -> None:
    """Put the title, the names of axes and the legend on it."""
    axes.set_title(arguments.title, loc="left", fontweight="bold")
    if arguments.kind == "pie":
        return
    only = str(series.columns[0]) if len(series.columns) == 1 else ""
    below, beside = arguments.x_label or arguments.x or only, arguments.y_label or only
    if arguments.kind == "hist":
        beside = arguments.y_label or "rows"
    if arguments.kind == "bar" and arguments.horizontal:
        below, beside = beside, below
    axes.set_xlabel(below)
    axes.set_ylabel(beside)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x" if arguments.horizontal else "y", alpha=0.3)
    axes.set_axisbelow(True)
    if arguments.log:
        axes.set_yscale("log")
    if len(series.columns) > 1 and arguments.kind not in ("hist", "box"):
        axes.legend([str(name) for name in series.columns], frameon=False)


if __name__ == "__main__":
    main()
