"""What a change of the embedding model under load showed."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Findings:
    """What was seen, by phase."""

    questions: dict[str, int] = field(default_factory=dict)
    p50_ms: dict[str, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    switches_ms: dict[str, float] = field(default_factory=dict)
    arrived: int = 0
    passages: int = 0
    leftover: int = 0
    """Vectors of the old model after the end."""
