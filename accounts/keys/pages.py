"""What the pages of keys show beside the keys: capabilities, group by group."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from accounts.keys.capabilities import EXPLAINED, FOR_BASES, GROUPS, PLATFORM_ONLY, SCOPES


@dataclass(frozen=True, kw_only=True)
class CapabilityChoice:
    """One capability as the form offers it."""

    value: str
    label: str
    text: str
    is_chosen: bool
    fits_bases: bool
    """Whether a key that is limited to bases can have it."""
    is_empty: bool
    """No route needs it in this version."""


def capability_groups(
    chosen: Collection[str], *, of_platform: bool
) -> list[tuple[str, list[CapabilityChoice]]]:
    """Return what a key of a space, or of the platform, can be allowed, as (label, choices)."""
    return [
        (
            str(group.label),
            [
                CapabilityChoice(
                    value=one.value,
                    label=str(one.label),
                    text=str(EXPLAINED[one]),
                    is_chosen=one.value in chosen,
                    fits_bases=one in FOR_BASES,
                    is_empty=not SCOPES[one],
                )
                for one in group.capabilities
            ],
        )
        for group in GROUPS
        if of_platform or not set(group.capabilities) <= PLATFORM_ONLY
    ]
