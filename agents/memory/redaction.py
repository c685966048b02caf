"""Takes secrets out of what is about to be remembered. No database."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

PLACEHOLDER = "[redacted]"
MOST_REDACTED = 0.5
"""Above this share of the characters nothing worth keeping is left."""

_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CHECK_CHARACTERS = "10X98765432"


def _is_card(digits: str) -> bool:
    """Say whether the digits end in the check digit that payment cards have (Luhn)."""
    total = 0
    for place, digit in enumerate(int(each) for each in reversed(digits)):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0 and len(set(digits)) > 1


def _is_identity(number: str) -> bool:
    """Say whether it ends in the check character of a Chinese identity number."""
    total = sum(int(digit) * weight for digit, weight in zip(number, _WEIGHTS, strict=False))
    return _CHECK_CHARACTERS[total % 11] == number[-1].upper()


def _is_random(token: str) -> bool:
    """Say whether a long word looks made by a machine: letters and digits mixed, or hexadecimal."""
    return any(each.isdigit() for each in token) and any(each.isalpha() for each in token)


def _always(_: str) -> bool:
    return True


Check = Callable[[str], bool]
_PATTERNS: tuple[tuple[re.Pattern[str], Check], ...] = (
    (
        re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*-----|\Z)", re.S),
        _always,
    ),
    (
        re.compile(
            r"\b(?:sk|pk|rk)[-_](?:[a-z]+[-_])?[A-Za-z0-9_-]{12,}|\bgh[pousr]_[A-Za-z0-9]{20,}"
            r"|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[abprs]-[\w-]{10,}|\bhf_[A-Za-z0-9]{20,}"
            r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}|\bLTAI[A-Za-z0-9]{12,}"
        ),
        _always,
    ),
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"), _always),
    (
        re.compile(
            r"(?i)(?:\b(?:pass(?:word|wd|phrase|code)?|pwd|pin|secret|token|api[ _-]?key"
            r"|access[ _-]?key)|密码|密碼|口令|密钥|パスワード|暗証番号|비밀번호|암호)"
            r"[\"'”]?\s*(?:[:：=]|\bis\b|是|为|為|は|는|은)\s*[\"'“]?[^\s\"'”,;，；。]{3,}"
        ),
        _always,
    ),
    (re.compile(r"(?<!\d)\d{17}[\dXx](?![\dXx])"), _is_identity),
    (re.compile(r"(?<![\d.])\d(?:[ -]?\d){14,18}(?![\d.])"), lambda each: _is_card(_digits(each))),
    (re.compile(r"(?<!\d)(?:\+?86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?!\d)"), _always),
    (re.compile(r"[A-Za-z0-9+/_=-]{40,}"), _is_random),
)


@dataclass(frozen=True, kw_only=True)
class Redacted:
    """A text without its secrets."""

    text: str
    is_mostly_redacted: bool
    """Too little is left to be worth keeping."""


def redact(text: str) -> Redacted:
    """Replace API keys, private keys, passwords, long tokens and Chinese personal numbers."""
    removed = 0

    def cover(match: re.Match[str], fits: Check) -> str:
        nonlocal removed
        found = match.group()
        if not fits(found):
            return found
        removed += len(found)
        return PLACEHOLDER

    cleaned = text
    for pattern, fits in _PATTERNS:
        cleaned = pattern.sub(lambda match, fits=fits: cover(match, fits), cleaned)  # type: ignore[misc]  # mypy has no default arguments of lambdas
    length = max(1, len(text.strip()))
    rest = cleaned.replace(PLACEHOLDER, "")
    is_empty = bool(removed) and sum(each.isalnum() for each in rest) < 4
    return Redacted(text=cleaned, is_mostly_redacted=is_empty or removed / length > MOST_REDACTED)


def _digits(text: str) -> str:
    return "".join(each for each in text if each.isdigit())
