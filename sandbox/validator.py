"""What looks dangerous in a command, a script or its input: a warning for people, not the wall.

The sandbox is the wall. These patterns say what a person should see before it runs; who wants to get
around them can.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import regex
from django.utils.translation import gettext_noop as _

TIMEOUT_SECONDS = 0.25


@dataclass(frozen=True, kw_only=True)
class Danger:
    """One kind of danger."""

    label: str
    """For people; a message id, translated where it is shown."""
    pattern: str


DANGERS: tuple[Danger, ...] = (
    Danger(
        label=_("Opens a shell to another machine"),
        pattern=r"/dev/(?:tcp|udp)/|\b(?:nc|ncat|netcat)\b[^;|\n]*\s-[a-z]*[ec]\b|\bsocat\b[^\n]*exec"
        r"|\bmkfifo\b[^\n]*\b(?:nc|ncat|netcat|telnet)\b"
        r"|\bsocket\b[\s\S]{0,400}\b(?:dup2|pty\.spawn|subprocess)\b",
    ),
    Danger(
        label=_("Uses the network"),
        pattern=r"(?<![\w./-])(?:curl|wget|ssh|scp|sftp|ftp|telnet|nc|ncat|netcat|nslookup|dig|rsync)"
        r"\s+[\w.\-/:'\"$]"
        r"|\bpip3?\s+(?:install|download)\b|\bnpm\s+(?:i|install|add)\b|\bgit\s+(?:clone|fetch|pull)\b"
        r"|\bapt(?:-get)?\s+(?:install|update)\b"
        r"|\b(?:requests|httpx)\.(?:get|post|put|delete|request)\b|\burllib\.request\b|\burlopen\s*\("
        r"|\bsocket\.(?:socket|create_connection)\b|\bfetch\s*\(\s*['\"]https?:",
    ),
    Danger(
        label=_("Deletes everything in a folder"),
        pattern=r"\brm\s+(?:-\w+\s+)*-\w*[rR]\w*\s+(?:-\w+\s+)*(?:/|~|\*|\.\s|\.$|/workspace/?(?:\s|$|\*))"
        r"|\bshutil\.rmtree\s*\(\s*['\"](?:/|\.|/workspace)/?['\"]",
    ),
    Danger(
        label=_("Starts processes without end"),
        pattern=r":\s*\(\s*\)\s*\{|\bwhile\s+(?:true|:|1)\s*;?\s*do\b[^\n]*&\s*(?:done|;)"
        r"|\bos\.fork\s*\(\s*\)[\s\S]{0,40}\bos\.fork\b",
    ),
    Danger(
        label=_("Runs text that was built or decoded"),
        pattern=r"\bbase64\s+(?:-d|-D|--decode)\b[^\n]*\|\s*(?:\S*/)?(?:ba|da|z)?sh\b"
        r"|\beval\s+[\"']?\$\(|\|\s*(?:ba|da|z)?sh\s*(?:-s\b|-c\b|$)"
        r"|\b(?:exec|eval)\s*\(\s*(?:base64|codecs|zlib|bytes\.fromhex|compile)\b"
        r"|\b__import__\s*\(\s*['\"]os['\"]\s*\)\s*\.\s*system",
    ),
    Danger(
        label=_("Looks for secrets or the machine below"),
        pattern=r"/etc/(?:shadow|sudoers)|/proc/(?:1|self|\d+)/(?:environ|mem|root)|/var/run/docker\.sock"
        r"|\.ssh/(?:id_|authorized_keys)|169\.254\.169\.254|metadata\.google\.internal",
    ),
    Danger(
        label=_("Tries to leave the sandbox"),
        pattern=r"\b(?:nsenter|unshare|chroot|pivot_root|insmod|modprobe|capsh)\b\s+[-/\w]"
        r"|\bmount\s+-|\bchmod\s+(?:\S+\s+)*[ug]?\+s\b|\bptrace\b|\bLD_PRELOAD=",
    ),
)
ARGUMENT_INJECTION = _("An argument holds a command of its own")
_INJECTED = regex.compile(r"[;&|]\s*\w|\$\(|`[^`]+`|\n|>\s*/")
_COMPILED = {each.label: regex.compile(each.pattern, regex.MULTILINE) for each in DANGERS}


def find_dangers(text: str) -> tuple[str, ...]:
    """Return the label of each danger in a command, script or input, in the table's order."""
    return tuple(each.label for each in DANGERS if _is_in(each.label, text))


def find_dangers_in_call(
    *, command: str = "", arguments: Iterable[str] = (), stdin: str = ""
) -> tuple[str, ...]:
    """Return the dangers of a call: of its command and input, and of arguments of a script."""
    given = list(arguments)
    labels = [label for text in (command, stdin, *given) if text for label in find_dangers(text)]
    if any(_INJECTED.search(each) for each in given):
        labels.append(ARGUMENT_INJECTION)
    return tuple(dict.fromkeys(labels))


def _is_in(label: str, text: str) -> bool:
    """Whether the pattern fits; one that cannot be searched for in time counts as found."""
    try:
        return _COMPILED[label].search(text, timeout=TIMEOUT_SECONDS) is not None
    except TimeoutError:
        return True
