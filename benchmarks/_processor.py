"""Processor time of a running product, by kind of process.

Unlike waiting times it hardly depends on what else the machine does.
"""

from __future__ import annotations

import psutil

from tests.product import Product


def processor_seconds(product: Product) -> dict[str, float]:
    """Return the processor time that each kind of process has used so far, seconds."""
    found = {}
    for name, process in product.processes().items():
        found[name] = _seconds(process)
        if name == "database":
            # Backends come and go: those that ended are counted at the server that waited for them.
            found[name] += _seconds_of_ended(process)
            found[name] += sum(map(_seconds, process.children()))
    return found


def used_between(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    """Return what each kind of process used between two readings, seconds."""
    return {kind: after[kind] - before.get(kind, 0.0) for kind in after}


def _seconds(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


def _seconds_of_ended(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.children_user + times.children_system)
