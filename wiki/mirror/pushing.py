"""Pushes a mirror to its address: by https to numbers that were judged, following no redirect.

The branch there is the mirror's: what somebody else put on it is never overwritten.
"""

from __future__ import annotations

import base64
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from django.utils.translation import gettext_noop

from core.addresses import AddressRefused, read_target
from core.dialling import check_outgoing, numbers_of, proxy_for
from core.errors import ProjectError, ServiceUnavailable
from wiki.mirror.git import TOO_LONG, GitFailed, git
from wiki.mirror.repository import BRANCH

logger = logging.getLogger(__name__)
_PUSH_SECONDS: Final = 900.0
NOT_HTTPS: Final = gettext_noop("A mirror is pushed by https only.")
UNREACHABLE: Final = gettext_noop("The address of the mirror cannot be reached.")
REFUSED: Final = gettext_noop(
    "The repository did not let the mirror in: check the token and what it may do."
)
MOVED: Final = gettext_noop(
    "The address leads to another one, which is not followed. Enter the address itself."
)
NO_REPOSITORY: Final = gettext_noop("There is no repository at the address, or not for this token.")
OTHERS: Final = gettext_noop(
    "The branch holds commits that this mirror did not make; they are not overwritten. Choose"
    " another branch, or empty this one."
)
CERTIFICATE: Final = gettext_noop(
    "The certificate of the address is not one that this server trusts."
)
LOST_TOKEN: Final = gettext_noop("The token cannot be read any more: enter it again.")
PUSH_FAILED: Final = gettext_noop("Git could not push the mirror; the log of the server says more.")
_SIGNS: Final = (
    (
        MOVED,
        (
            "unable to update url base from redirection",
            "error: 301",
            "error: 302",
            "error: 307",
            "error: 308",
        ),
    ),
    (REFUSED, ("authentication failed", "could not read username", "error: 401", "error: 403")),
    (CERTIFICATE, ("certificate",)),
    (NO_REPOSITORY, ("not found", "error: 404")),
    (OTHERS, ("stale info", "[rejected]")),
    (
        UNREACHABLE,
        ("could not resolve", "failed to connect", "couldn't connect", "ssl", "timed out"),
    ),
)
"""What stands in git's words, in lower case, the first that fits."""


class PushFailed(ProjectError):
    """The mirror could not be pushed; the message is an English reason to be stored."""


def push(
    folder: Path,
    *,
    address: str,
    token: str,
    branch: str,
    pushed_commit: str,
    check: Callable[[], None] | None = None,
) -> str:
    """Push the repository's branch and return what the branch at the address points to now.

    `pushed_commit` is what the last push left there; also after history was made anew only that, or
    what this repository holds, is replaced.

    Raises:
        PushFailed: it was not pushed.
    """
    config = connection(address, token)
    secrets = [token, *_headers(config)]
    target = f"refs/heads/{branch}"

    def call(*arguments: str) -> bytes:
        try:
            return git(
                folder,
                *arguments,
                config=config,
                protocols="https",
                secrets=secrets,
                timeout_seconds=_PUSH_SECONDS,
                check=check,
            )
        except GitFailed as error:
            logger.warning("a mirror was not pushed: %s %s", error.message, error.said)
            raise PushFailed(_reason(error)) from None

    listed = call("ls-remote", "--", address, target).decode(errors="replace")
    there = next(
        (line.split("\t")[0] for line in listed.splitlines() if line.endswith(f"\t{target}")), ""
    )
    tip = git(folder, "rev-parse", BRANCH).decode().strip()
    if there == tip:
        return tip
    if there and there != pushed_commit and not _holds(folder, there):
        raise PushFailed(OTHERS)
    call(
        "push",
        "--quiet",
        "--no-verify",
        f"--force-with-lease={target}:{there}",
        "--",
        address,
        f"{BRANCH}:{target}",
    )
    return tip


def connection(address: str, token: str) -> dict[str, str]:
    """Return git's settings for one address: whom it may call, and with what it signs in.

    Raises:
        PushFailed: it is not by https, leads where this server does not call, or nobody knows it.
    """
    target = read_target(address)
    if target.scheme != "https":
        raise PushFailed(NOT_HTTPS)
    config = {
        "http.followRedirects": "false",
        "http.sslVerify": "true",
        "http.lowSpeedLimit": "1",
        "http.lowSpeedTime": "60",
    }
    try:
        proxy = proxy_for(address)
        if proxy:
            check_outgoing(address)
            config["http.proxy"] = proxy
        else:
            numbers = numbers_of(address)
            config["http.proxy"] = ""
            if target.address is None:
                found = ",".join(f"[{each}]" if ":" in each else each for each in numbers)
                config["http.curloptResolve"] = f"{target.host}:{target.port}:{found}"
    except AddressRefused as refusal:
        raise PushFailed(refusal.message) from refusal
    except ServiceUnavailable as failure:
        raise PushFailed(UNREACHABLE) from failure
    certificates = os.environ.get("SSL_CERT_FILE", "")
    if certificates:
        config["http.sslCAInfo"] = certificates
    if token:
        pair = token if ":" in token else f"git:{token}"
        coded = base64.b64encode(pair.encode()).decode()
        config["http.extraHeader"] = f"Authorization: Basic {coded}"
    return config


def _headers(config: dict[str, str]) -> list[str]:
    return [config["http.extraHeader"].rpartition(" ")[2]] if "http.extraHeader" in config else []


def _holds(folder: Path, commit: str) -> bool:
    """Say whether a commit is one of this mirror's own: a push that nobody wrote down."""
    try:
        git(folder, "merge-base", "--is-ancestor", commit, BRANCH)
    except GitFailed:
        return False
    return True


def _reason(error: GitFailed) -> str:
    if error.message == TOO_LONG:
        return TOO_LONG
    said = error.said.lower()
    return next(
        (reason for reason, signs in _SIGNS if any(each in said for each in signs)), PUSH_FAILED
    )
