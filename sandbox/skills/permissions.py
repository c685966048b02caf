"""What a skill asks to be allowed, and how one request is wider than another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from django.utils.translation import gettext as _

from core.errors import Invalid

Files = Literal["none", "read", "write"]
_RANK: Final[Mapping[str, int]] = {"none": 0, "read": 1, "write": 2}
_HOST = re.compile(r"^(\*\.)?[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,62})?)+$")
_VARIABLE = re.compile(r"^[A-Z][A-Z0-9_]{0,79}$")
_TOOL = re.compile(r"^[a-z][a-z0-9_]{0,63}$")
ANY_HOST = "*"
MOST_ENTRIES = 50
_RESERVED = frozenset(
    {
        "PATH",
        "HOME",
        "USER",
        "SHELL",
        "IFS",
        "ENV",
        "BASH_ENV",
        "NODE_OPTIONS",
        "RUBYOPT",
        "PERL5OPT",
    }
)
_RESERVED_STARTS = ("WEKNORA_", "LD_", "PYTHON", "DYLD_", "GCONV_")


@dataclass(frozen=True, kw_only=True)
class Permissions:
    """What a version of a skill may use; what is not in it, it is not given."""

    files: Files = "none"
    """`read`: the workspace of the conversation; `write`: also put files into it."""
    network: tuple[str, ...] = ()
    """Names of hosts, sorted; `*` alone is every host."""
    secrets: tuple[str, ...] = ()
    """Names of the variables it is given, sorted."""
    tools: tuple[str, ...] = ()
    """Tools of the agent that its instructions call, sorted."""

    def as_json(self) -> dict[str, Any]:
        """Return it as it is stored and as a manifest writes it."""
        return {
            "files": self.files,
            "network": list(self.network),
            "secrets": list(self.secrets),
            "tools": list(self.tools),
        }

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked for."""
        return self == Permissions()


def read_permissions(raw: object) -> Permissions:
    """Return the permissions of a manifest, or of a row.

    Raises:
        Invalid: an entry is unknown or cannot be granted; says what would do.
    """
    if raw is None:
        return Permissions()
    if not isinstance(raw, Mapping):
        raise Invalid(
            _("“permissions” must have the entries files, network, secrets and tools."),
            field="permissions",
        )
    unknown = sorted(str(name)[:40] for name in raw if name not in Permissions.__dataclass_fields__)
    if unknown:
        raise Invalid(
            _("“permissions” has an entry %(name)r; only files, network, secrets and tools exist.")
            % {"name": unknown[0]},
            field="permissions",
        )
    return Permissions(
        files=_files(raw.get("files")),
        network=_network(raw.get("network")),
        secrets=_names(raw.get("secrets"), "secrets", check_variable_name),
        tools=_names(raw.get("tools"), "tools", _check_tool),
    )


def added_permissions(new: Permissions, agreed: Permissions) -> Permissions:
    """Return what `new` asks for beyond `agreed`; empty when nothing is wider."""
    wider_files = _RANK[new.files] > _RANK[agreed.files]
    hosts = () if ANY_HOST in agreed.network else _without(new.network, agreed.network)
    return Permissions(
        files=new.files if wider_files else "none",
        network=hosts,
        secrets=_without(new.secrets, agreed.secrets),
        tools=_without(new.tools, agreed.tools),
    )


def check_variable_name(name: str) -> None:
    """Return when a skill may be given a variable of this name.

    Raises:
        Invalid: it is not a name, or is the platform's own.
    """
    if not _VARIABLE.match(name):
        raise Invalid(
            _(
                "%(name)r is no name of a variable: use capital letters, digits and _, such as API_KEY."
            )
            % {"name": name[:80]},
            field="secrets",
        )
    if name in _RESERVED or name.startswith(_RESERVED_STARTS):
        raise Invalid(
            _("%(name)s is set by the platform itself; the skill must use another name.")
            % {"name": name},
            field="secrets",
        )


def _without(new: tuple[str, ...], agreed: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each for each in new if each not in agreed)


def _files(raw: object) -> Files:
    for known in get_args(Files):
        if raw == known or (raw is None and known == "none"):
            found: Files = known
            return found
    raise Invalid(_("“files” must be none, read or write."), field="permissions.files")


def _network(raw: object) -> tuple[str, ...]:
    if raw in ("none", False):
        return ()
    hosts = _names(raw, "network", _check_host)
    return (ANY_HOST,) if ANY_HOST in hosts else hosts


def _check_host(name: str) -> None:
    if name != ANY_HOST and not _HOST.match(name):
        raise Invalid(
            _("%(name)r is no name of a host: write such as api.example.org, or * for all hosts.")
            % {"name": name[:80]},
            field="permissions.network",
        )


def _check_tool(name: str) -> None:
    if not _TOOL.match(name):
        raise Invalid(
            _("%(name)r is no name of a tool.") % {"name": name[:80]}, field="permissions.tools"
        )


def _names(raw: object, field: str, check: Any) -> tuple[str, ...]:
    if raw is None:
        return ()
    if not isinstance(raw, list | tuple) or not all(isinstance(each, str) for each in raw):
        raise Invalid(
            _("“%(field)s” must be a list of names.") % {"field": field},
            field=f"permissions.{field}",
        )
    if len(raw) > MOST_ENTRIES:
        raise Invalid(
            _("“%(field)s” has more than %(most)d entries.")
            % {"field": field, "most": MOST_ENTRIES},
            field=f"permissions.{field}",
        )
    for each in raw:
        check(each)
    return tuple(sorted(set(raw)))
