"""Where a store is and what opens it, and the address policy for clients that cannot take ours."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from core.addresses import read_target
from core.dialling import check_outgoing, numbers_of
from knowledge.stores.options import StoreOptions


@dataclass(frozen=True, kw_only=True)
class Connection:
    """What an adapter needs."""

    owner: UUID
    name: str
    """What people call it: errors name it."""
    address: str
    """An http(s) address. Tests give adapters a folder or file for their embedded modes."""
    user_name: str = ""
    api_key: str = field(default="", repr=False)
    options: StoreOptions = field(default_factory=StoreOptions)

    @property
    def is_embedded(self) -> bool:
        """Whether it is a folder or file of this process; no registered store can be."""
        return not self.address.startswith(("http://", "https://"))


@dataclass(frozen=True, kw_only=True)
class Dialled:
    """An address after its name was looked up and every number of it judged."""

    host: str
    """The name as it was entered: a certificate is compared with it."""
    number: str
    """What is to be called: the name may turn into something else a moment later."""
    port: int
    is_secure: bool


def dial(address: str) -> Dialled:
    """Look an address up and judge it; for clients that open their connections themselves.

    Raises:
        AddressRefused: it, or a number of its name, may not be called.
        OSError: the name is not known.
    """
    check_outgoing(address)
    target = read_target(address)
    return Dialled(
        host=target.host,
        number=numbers_of(target.host, target.port)[0],
        port=target.port,
        is_secure=target.scheme == "https",
    )
