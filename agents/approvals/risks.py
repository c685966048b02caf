"""Built-in patterns of calls that a person should see first, wherever in the arguments they stand.

They are a safety net below the agent's own rules and no sandbox: who wants to get around them can.
Reading tools are left alone, for a search for "DROP TABLE" drops nothing; tools that carry out what
they are given are looked at whatever they say of themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import regex
from django.utils.translation import gettext_noop as _

from agents.approvals.normalise import as_shell, as_statements, texts_in

TIMEOUT_SECONDS = 0.25
MASS_ITEMS = 20
"""A call that names so many things at once changes many."""
_EXECUTES = regex.compile(
    r"sql|shell|exec|command|script|bash|terminal|python|code|database|ssh", regex.IGNORECASE
)
_CAMEL = regex.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAMING = ("id", "ids", "slug", "slugs", "path", "paths", "names")
_ALL_OF_IT = {"all", "everything", "every", "select_all", "delete_all", "apply_to_all"}

Kind = Literal["shell", "sql", "name"]


@dataclass(frozen=True, kw_only=True)
class Risk:
    """One kind of danger: what people read, and how it looks."""

    label: str
    """For people; a message id, translated where it is shown."""
    kind: Kind
    """`shell`: one command line; `sql`: one statement; `name`: the tool's name, in words."""
    pattern: str


_COMMAND = r"(?<![\w.-])"
_REST = r"[^;|&\n]*"
_NAME = r"[\w.\"`\[\]$]+"

RISKS: tuple[Risk, ...] = (
    Risk(
        label=_("Deletes folders with all they hold"),
        kind="shell",
        pattern=rf"{_COMMAND}rm\b(?=[ ]){_REST} (?:-[a-z]*r[a-z]*|--recursive)\b"
        rf"|\bxargs\b{_REST}\brm\b|\b(?:remove-item|ri)\b{_REST} -r(?:ec\w*)?\b"
        rf"|\b(?:rd|rmdir|del|erase)\b{_REST} /s\b|\brmtree\s*\(",
    ),
    Risk(
        label=_("Deletes every file it finds"),
        kind="shell",
        pattern=rf"\bfind\b{_REST} -delete\b|\bfind\b{_REST} -exec(?:dir)? (?:\S*/)?rm\b",
    ),
    Risk(
        label=_("Formats a disk"),
        kind="shell",
        pattern=rf"\bmk(?:fs(?:\.\w+)?|e2fs)\b [\w/-]|\b(?:wipefs|blkdiscard)\b {_REST}/dev/"
        r"|\bformat [a-z]:",
    ),
    Risk(
        label=_("Overwrites a disk"),
        kind="shell",
        pattern=rf"\bdd\b{_REST} of=/dev/(?!null\b|stdout\b|stderr\b|tty\b)|\bshred\b{_REST} /dev/"
        r"|> ?/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper)",
    ),
    Risk(
        label=_("Writes to files of the system"),
        kind="shell",
        pattern=rf"> ?/(?:etc|boot|usr|bin|sbin|lib)/|\btee\b{_REST} /(?:etc|boot)/"
        r"|>> ?\S*authorized_keys",
    ),
    Risk(
        label=_("Rewrites or deletes branches of others (forced push)"),
        kind="shell",
        pattern=rf"\bgit\b{_REST} push\b{_REST}"
        r" (?:--force(?:-with-lease|-if-includes)?\b|-[a-z]*f[a-z]*\b|--mirror\b|--delete\b|\+\S|:\S)",
    ),
    Risk(
        label=_("Throws uncommitted work away (hard reset)"),
        kind="shell",
        pattern=rf"\bgit\b{_REST} reset\b{_REST} --hard\b",
    ),
    Risk(
        label=_("Deletes files that git does not know"),
        kind="shell",
        pattern=rf"\bgit\b{_REST} clean\b{_REST} (?:-[a-z]*f[a-z]*|--force)\b",
    ),
    Risk(
        label=_("Opens files to everybody"),
        kind="shell",
        pattern=rf"\bchmod\b(?={_REST} (?:-[a-z]*r[a-z]*|--recursive)\b){_REST} "
        r"(?:0?777|[ugo]*a[ugo]*[+=]rwx|ugo[+=]rwx|\+rwx)\b"
        rf"|\bchmod\b{_REST} (?:0?777|a[+=]rwx) {_REST}(?:-r\b|--recursive\b)",
    ),
    Risk(
        label=_("Runs code from the network"),
        kind="shell",
        pattern=r"\b(?:curl|wget|fetch|iwr|invoke-webrequest|base64|xxd)\b[^;\n]*\|\s*"
        r"(?:sudo )?(?:env )?(?:\S*/)?(?:(?:ba|z|da|k|a|fi)?sh|python[\d.]*|perl|ruby|node|iex)\b"
        r"|\b(?:(?:ba|z|da)?sh|source|eval|\.)\b[^;\n]*(?:<\(|\$\()\s*(?:curl|wget)\b"
        r"|\biex\b[^;\n]*\b(?:iwr|downloadstring)\b",
    ),
    Risk(
        label=_("Runs with the administrator's rights"),
        kind="shell",
        pattern=r"(?<![\w/-])(?:sudo|doas|pkexec)\b(?= [\w./-])|(?:^|[;&|\n] ?)su (?:-|root\b)",
    ),
    Risk(
        label=_("Shuts a machine down"),
        kind="shell",
        pattern=r"(?:^|[;&|(\n]|\bsudo) ?(?:\S*/)?(?:shutdown|reboot|poweroff|halt)"
        r"(?= ?(?:$|[;&|)\n])| (?:-|now\b|\+\d|/[a-z]\b|\d))"
        r"|(?:^|[;&|(\n]|\bsudo) ?(?:\S*/)?init [06]\b"
        r"|\bsystemctl (?:poweroff|reboot|halt)\b|:\(\) ?\{",
    ),
    Risk(
        label=_("Takes infrastructure down"),
        kind="shell",
        pattern=rf"\bkubectl\b{_REST} delete\b|\b(?:terraform|tofu|pulumi)\b{_REST} destroy\b"
        rf"|\bhelm\b{_REST} (?:uninstall|delete)\b|\bdocker\b{_REST} prune\b",
    ),
    Risk(
        label=_("Drops a table, column, schema or database"),
        kind="sql",
        pattern=r"\bdrop (?:table|database|schema|(?:materialized )?view|column|index|user|role"
        rf"|tablespace|owned|collection)\b (?:if exists )?{_NAME}"
        r"|\.(?:drop|dropdatabase) ?\( ?\)|\.(?:delete|remove)(?:many)? ?\( ?\{ ?\}",
    ),
    Risk(
        label=_("Empties a table"),
        kind="sql",
        pattern=rf"\btruncate table (?:only )?{_NAME}"
        rf"|^truncate (?:only )?{_NAME}(?: ?,| cascade| restart|$)",
    ),
    Risk(
        label=_("Deletes rows without saying which"),
        kind="sql",
        pattern=rf"\bdelete from (?:only )?{_NAME}(?: (?:as )?\w+)? ?"
        r"(?:$|\)|using\b|returning\b|limit\b|order by\b)(?!.*\bwhere\b)"
        r"|\bdelete from\b.*\bwhere (?:1 ?= ?1|true|not false|'' ?= ?'')(?: ?$| ?\)| returning\b)",
    ),
    Risk(
        label=_("Changes rows without saying which"),
        kind="sql",
        pattern=rf"\bupdate (?:only )?{_NAME}(?: (?:as )?\w+)? set {_NAME} ?=(?!.*\bwhere\b)"
        r"|\bupdate\b.* set .*\bwhere (?:1 ?= ?1|true|not false|'' ?= ?'')(?: ?$| ?\)| returning\b)",
    ),
    Risk(
        label=_("Deletes wiki pages"),
        kind="name",
        pattern=r"\bwiki\b.*\b(?:delete|remove|purge)\b|\b(?:delete|remove|purge)\b.*\bwiki\b",
    ),
    Risk(
        label=_("Deletes things for good"),
        kind="name",
        pattern=r"\b(?:destroy|drop|purge|wipe|truncate)\b",
    ),
)
MASS_CHANGE = _("Changes many things at once")
MASS_RENAME = _("Renames many wiki pages at once")


Finder = Callable[[Mapping[str, Any]], tuple[str, ...]]
_finders: dict[str, Finder] = {}


def register_risks(name: str, finder: Finder) -> None:
    """Add what a tool's own family knows of the dangers of its calls; labels for people."""
    _finders[name] = finder


def find_risks(name: str, arguments: Mapping[str, Any], *, side_effects: str) -> tuple[str, ...]:
    """Return the label of each risk of the call, in the order of the table; mostly none."""
    if side_effects == "none" and not _EXECUTES.search(name):
        return ()
    words = _words_of(name)
    texts = list(dict.fromkeys(texts_in(dict(arguments))))
    shell = [as_shell(text) for text in texts]
    statements = [each for text in texts for each in as_statements(text)]
    looked_at = {"shell": shell, "sql": statements, "name": [words]}
    labels = [risk.label for risk in RISKS if _is_in(risk, looked_at[risk.kind])]
    labels += _mass(words, arguments)
    if name in _finders:
        labels += _finders[name](arguments)
    return tuple(dict.fromkeys(labels))


_COMPILED = {risk.label: regex.compile(risk.pattern, regex.MULTILINE) for risk in RISKS}


def _is_in(risk: Risk, texts: Iterable[str]) -> bool:
    """Whether the pattern fits; one that cannot be searched for in time counts as found."""
    try:
        return any(
            _COMPILED[risk.label].search(text, timeout=TIMEOUT_SECONDS, concurrent=True)
            for text in texts
        )
    except TimeoutError:
        return True


def _words_of(name: str) -> str:
    return regex.sub(r"[\W_]+", " ", _CAMEL.sub(" ", name)).strip().casefold()


def _mass(words: str, arguments: Mapping[str, Any]) -> list[str]:
    if not (_longest(arguments) >= MASS_ITEMS or _names_all(arguments)):
        return []
    renames = "wiki" in words.split() and {"rename", "move"} & set(words.split())
    return [MASS_RENAME if renames else MASS_CHANGE]


def _longest(value: Any) -> int:
    """Return the length of the longest list inside of the value."""
    if isinstance(value, Mapping):
        return max(map(_longest, value.values()), default=0)
    if isinstance(value, list | tuple):
        return max([len(value), *map(_longest, value)])
    return 0


def _names_all(arguments: Mapping[str, Any]) -> bool:
    for key, value in arguments.items():
        plain = key.casefold()
        if plain in _ALL_OF_IT and value is True:
            return True
        if plain.endswith(_NAMING) and value in ("*", "**", ["*"]):
            return True
    return False
