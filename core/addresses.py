"""Which addresses this installation may be sent to: names, numbers in every spelling, ports.

People and documents enter addresses; a server that calls them could be led to what only it can
reach. The policy is pure: it parses and judges, and `core.http` asks it before each request, at each
redirect and again about the numbers that a name turned into when the connection is made.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

import httpx

from core.errors import Refused

SETTING = "WEKNORA_SSRF_ALLOW"
MAX_URL_CHARACTERS = 2048
IPAddress = IPv4Address | IPv6Address
IPNetwork = IPv4Network | IPv6Network

BLOCKED_PORTS = frozenset(
    {22, 23, 25, 445, 2379, 2380, 3306, 3389, 4001, 5432, 6379, 8500, 9200, 27017}
)
"""Remote shells, mail, file shares, databases: never an HTTP service that somebody means."""
_BLOCKED_NAMES = frozenset(
    {
        "localhost",
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "metadata.tencentyun.com",
        "instance-data",
        "instance-data.ec2.internal",
        "host.docker.internal",
        "gateway.docker.internal",
        "kubernetes.docker.internal",
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
    }
)
_BLOCKED_SUFFIXES = (
    ".local",
    ".localhost",
    ".internal",
    ".corp",
    ".lan",
    ".home",
    ".localdomain",
    ".svc.cluster.local",
    ".pod.cluster.local",
)
_NEVER: tuple[IPAddress, ...] = (
    ip_address("169.254.169.254"),
    ip_address("169.254.170.2"),
    ip_address("100.100.100.200"),
    ip_address("fd00:ec2::254"),
)
"""They hand out the machine's own credentials: no allow-list opens them."""
_NETWORKS: tuple[IPNetwork, ...] = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",
            "100.64.0.0/10",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "240.0.0.0/4",
            "100::/64",
            "2001::/23",
            "2001:db8::/32",
            "3fff::/20",
            "5f00::/16",
            "fec0::/10",
        ),
    )
)
"""Beside what Python itself knows as private, loopback, link-local, multicast or reserved."""
_SIX_TO_FOUR = ip_network("2002::/16")
_NAT64 = (ip_network("64:ff9b::/96"), ip_network("64:ff9b:1::/48"))
_COMPATIBLE = ip_network("::/96")
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]*|[0-9]+)\Z")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)\Z")
_UNCLEAN = re.compile(r"[\x00-\x20\x7f\\]")


class AddressRefused(Refused):
    """The address is none that this server may be sent to."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where a URL leads."""

    scheme: str
    host: str
    """In lower case, without brackets; a number is in its usual form."""
    port: int
    address: IPAddress | None
    """When the host is a number."""


@dataclass(frozen=True)
class AllowList:
    """What an operator opens although the policy refuses it."""

    names: frozenset[str] = frozenset()
    suffixes: tuple[str, ...] = ()
    """Each with its leading dot."""
    networks: tuple[IPNetwork, ...] = ()
    origins: frozenset[tuple[str, int]] = frozenset()
    """Host and port: what the operator's own settings name."""

    def has_name(self, host: str, port: int) -> bool:
        """Say whether the name is opened, whatever it turns into."""
        return (
            host in self.names
            or (host, port) in self.origins
            or host.endswith(self.suffixes or "\0")
        )

    def has_address(self, address: IPAddress) -> bool:
        """Say whether the number is opened."""
        return any(
            address.version == network.version and address in network for network in self.networks
        )

    def with_origins(self, origins: Iterable[tuple[str, int]]) -> AllowList:
        """Return the list with these hosts and ports opened, too."""
        return AllowList(
            names=self.names,
            suffixes=self.suffixes,
            networks=self.networks,
            origins=self.origins | frozenset(origins),
        )


def parse_allow_list(entries: Iterable[str]) -> AllowList:
    """Read entries: a name, `*.suffix`, a number, or a network such as `10.1.0.0/16`.

    Raises:
        ValueError: an entry is none of these; it is named.
    """
    names: set[str] = set()
    suffixes: list[str] = []
    networks: list[IPNetwork] = []
    for entry in (each.strip().lower().rstrip(".") for each in entries):
        bare = entry.removeprefix("[").removesuffix("]")
        if entry.startswith("*."):
            suffixes.append(_clean_name(entry[2:], whole=entry))
        elif "/" in entry or ":" in bare or parse_number(bare) is not None:
            networks.append(_network(bare, whole=entry))
        else:
            names.add(_clean_name(entry, whole=entry).removeprefix("."))
    return AllowList(frozenset(names), tuple(suffixes), tuple(networks))


def check_url(url: str | httpx.URL, *, allow: AllowList) -> Target:
    """Return where a URL leads, when this server may be sent there as far as can be seen from it.

    What a name turns into is judged by `check_address` when the connection is made.

    Raises:
        AddressRefused: it may not; the message says why and which setting an operator can change.
    """
    target = read_target(url)
    if target.port in BLOCKED_PORTS and (target.host, target.port) not in allow.origins:
        raise AddressRefused(f"Port {target.port} is never called; use the service's web port.")
    if target.address is not None:
        if (target.host, target.port) not in allow.origins:
            check_address(target.address, allow=allow, host=target.host)
        return target
    if not allow.has_name(target.host, target.port) and _is_inner_name(target.host):
        raise _refused(target.host)
    return target


def check_address(address: IPAddress, *, allow: AllowList, host: str = "") -> None:
    """Return when this server may connect to the number.

    Raises:
        AddressRefused: it may not; `host` is what the message names.
    """
    meant = [address, *embedded(address)]
    if any(each in _NEVER for each in meant):
        raise AddressRefused(f"{host or address} gives out this machine's own credentials.")
    if allow.has_address(address):
        return
    if any(is_inner(each) for each in meant):
        raise _refused(host or str(address))


def is_inner(address: IPAddress) -> bool:
    """Say whether a number is anything but an ordinary address of the public internet."""
    if any(address.version == each.version and address in each for each in _NETWORKS):
        return True
    return not address.is_global or address.is_multicast or address.is_reserved


def embedded(address: IPAddress) -> list[IPAddress]:
    """Return the IPv4 numbers that an IPv6 number carries: mapped, compatible, 6to4, NAT64."""
    if isinstance(address, IPv4Address):
        return []
    value = int(address)
    last = IPv4Address(value & 0xFFFFFFFF)
    found: list[IPAddress] = []
    if address.ipv4_mapped is not None:
        found.append(address.ipv4_mapped)
    if address in _SIX_TO_FOUR:
        found.append(IPv4Address((value >> 80) & 0xFFFFFFFF))
    if any(address in network for network in (*_NAT64, _COMPATIBLE)):
        found.append(last)
    return found


def read_target(url: str | httpx.URL) -> Target:
    """Parse a URL with the very parser of the client that will follow it.

    Raises:
        AddressRefused: it is no http(s) URL, too long, has a password, or no usable host.
    """
    text = str(url)
    if len(text) > MAX_URL_CHARACTERS:
        raise AddressRefused(f"The address has over {MAX_URL_CHARACTERS:,} characters.")
    if _UNCLEAN.search(text):
        raise AddressRefused("The address has a blank, a backslash or a control character in it.")
    try:
        parsed = httpx.URL(text)
        host, port = parsed.host, parsed.port
    except (httpx.InvalidURL, ValueError) as error:
        raise AddressRefused("The address cannot be read; enter one such as https://…") from error
    if parsed.scheme not in ("http", "https"):
        raise AddressRefused("Only addresses that begin with http:// or https:// are called.")
    if parsed.userinfo:
        raise AddressRefused("The address has a name or password in it; leave them out.")
    name, address = _host(host)
    return Target(
        scheme=parsed.scheme,
        host=name,
        port=port or (443 if parsed.scheme == "https" else 80),
        address=address,
    )


def parse_number(host: str) -> IPv4Address | None:
    """Return the IPv4 number that a host is in any spelling that a resolver understands.

    One to four parts, each decimal, octal (leading 0) or hexadecimal (0x); the last one fills the
    rest: 127.1, 2130706433, 0x7f.0.0.1, 0177.0.0.1. None: it is not such a number.
    """
    parts = host.split(".")
    if parts and parts[-1] == "":
        parts = parts[:-1]
    if not 1 <= len(parts) <= 4 or not all(_NUMBER.match(part) for part in parts):
        return None
    try:
        numbers = [_integer(part) for part in parts]
    except ValueError:
        return None
    *first, last = numbers
    if any(each > 255 for each in first) or last >= 256 ** (5 - len(numbers)):
        return None
    value = last
    for place, each in enumerate(first):
        value += each << (8 * (3 - place))
    return IPv4Address(value)


def _integer(text: str) -> int:
    if text[:2] in ("0x", "0X"):
        return int(text[2:] or "0", 16)
    if len(text) > 1 and text.startswith("0"):
        return int(text, 8)
    return int(text)


def _host(host: str) -> tuple[str, IPAddress | None]:
    """Return the host in its usual form, and as a number when it is one."""
    name = unicodedata.normalize("NFKC", host).lower().replace("。", ".").rstrip(".")
    if ":" in name:
        if "%" in name:
            raise AddressRefused("Addresses with a zone (%) are not called.")
        try:
            six = IPv6Address(name)
        except ValueError as error:
            raise AddressRefused("The address has no usable host.") from error
        return str(six), six
    four = parse_number(name)
    if four is not None:
        return str(four), four
    labels = name.split(".")
    if _NUMBER.match(labels[-1]):
        raise AddressRefused("The host ends like a number but is none; enter a name.")
    ascii_name = _ascii(name)
    if not all(_LABEL.match(label) for label in ascii_name.split(".")) or len(ascii_name) > 253:
        raise AddressRefused("The address has no usable host; enter one such as https://…")
    return ascii_name, None


def _ascii(name: str) -> str:
    try:
        return name if name.isascii() else httpx.URL(f"http://{name}").raw_host.decode("ascii")
    except (httpx.InvalidURL, UnicodeError, ValueError) as error:
        raise AddressRefused("The host has characters that no name can have.") from error


def _is_inner_name(host: str) -> bool:
    return "." not in host or host in _BLOCKED_NAMES or host.endswith(_BLOCKED_SUFFIXES)


def _refused(host: str) -> AddressRefused:
    return AddressRefused(
        f"{host} is an address inside of a network, which this server does not call by itself. If"
        f" you mean it, an operator adds it to the setting {SETTING}: {SETTING}={host}",
        setting=SETTING,
    )


def _clean_name(name: str, *, whole: str) -> str:
    """Return a name as a suffix with its dot."""
    labels = name.split(".")
    if not name or not all(_LABEL.match(label) for label in labels) or _NUMBER.match(labels[-1]):
        raise ValueError(f"{SETTING}: {whole!r} is no name, *.suffix, number or network")
    return f".{name}"


def _network(text: str, *, whole: str) -> IPNetwork:
    try:
        return ip_network(text)
    except ValueError as error:
        raise ValueError(
            f"{SETTING}: {whole!r} is no number or network ({error}); write 10.1.0.0/16"
        ) from error
