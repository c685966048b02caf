"""Request-local short ids, so that a model never reads or writes a UUID.

c1 is a chunk, d1 a document, b1 a base, w1 a web page, res://0001 any other address (a picture, a
page's slug). Numbers are given in the order of first use and live as long as the run. Encoding
goes **resources before sources**: an address that contains a UUID must become one alias as a whole,
or its inner id would be replaced and the address be dead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from agents.engine.errors import ToolFailed
from providers.contracts.chat import ChatMessage

AliasKind = Literal["chunk", "document", "base", "web", "resource"]
PREFIXES: dict[AliasKind, str] = {"chunk": "c", "document": "d", "base": "b", "web": "w"}
RESOURCE_SCHEME = "res://"

_UUID = re.compile(
    r"(?<![\w/.-])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![\w/-])", re.ASCII
)
_ALIAS = re.compile(r"[cdbw][1-9]\d{0,5}", re.ASCII)
_MENTION = re.compile(r"(?<!\w)[cdbw][1-9]\d{0,5}(?!\w)|res://\d{4,}", re.ASCII)
_RESOURCE = re.compile(r"res://\d{4,}", re.ASCII)


class Source(BaseModel):
    """What an alias stands for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    alias: str
    kind: AliasKind
    target: str
    """The real id or address."""
    document_id: str | None = None
    base_id: str | None = None
    title: str = ""
    page: int | None = None
    url: str = ""


class Aliases(BaseModel):
    """The aliases of one run; part of its state."""

    model_config = ConfigDict(extra="forbid")

    sources: dict[str, Source] = Field(default_factory=dict)
    counters: dict[AliasKind, int] = Field(default_factory=dict)
    _by_target: dict[tuple[AliasKind, str], str] = PrivateAttr(default_factory=dict)

    def model_post_init(self, context: Any, /) -> None:
        """Index what was loaded."""
        for source in self.sources.values():
            self._by_target[source.kind, source.target] = source.alias

    # Giving aliases

    def chunk(
        self,
        chunk_id: object,
        *,
        document_id: object = None,
        base_id: object = None,
        title: str = "",
        page: int | None = None,
    ) -> str:
        """Return the chunk's alias (c1, c2, …); its document and base are remembered with it."""
        return self._alias(
            "chunk",
            _id(chunk_id),
            document_id=_id_or_none(document_id),
            base_id=_id_or_none(base_id),
            title=title,
            page=page,
        )

    def document(self, document_id: object, *, base_id: object = None, title: str = "") -> str:
        """Return the document's alias (d1, d2, …)."""
        target = _id(document_id)
        return self._alias(
            "document", target, document_id=target, base_id=_id_or_none(base_id), title=title
        )

    def base(self, base_id: object, *, title: str = "") -> str:
        """Return the base's alias (b1, b2, …)."""
        return self._alias("base", _id(base_id), base_id=_id(base_id), title=title)

    def web(self, url: str, *, title: str = "") -> str:
        """Return the page's alias (w1, w2, …)."""
        return self._alias("web", url, url=url, title=title)

    def resource(self, address: str) -> str:
        """Return the alias res://NNNN of an address that shall survive as a whole."""
        return self._alias("resource", address, url=address)

    def _alias(self, kind: AliasKind, target: str, **details: Any) -> str:
        known = self._by_target.get((kind, target))
        if known is not None:
            return known
        number = self.counters.get(kind, 0) + 1
        self.counters[kind] = number
        alias = (
            f"{RESOURCE_SCHEME}{number:04}" if kind == "resource" else f"{PREFIXES[kind]}{number}"
        )
        self._remember(Source(alias=alias, kind=kind, target=target, **details))
        return alias

    def _remember(self, source: Source) -> None:
        self.sources[source.alias] = source
        self._by_target[source.kind, source.target] = source.alias

    def adopt(self, sources: Iterable[Source]) -> None:
        """Take over aliases that a stored tool result already uses.

        Raises:
            ValueError: an alias stands for something else here; results were mixed up.
        """
        for source in sources:
            known = self.sources.get(source.alias)
            if known is not None and known.target != source.target:
                raise ValueError(f"alias {source.alias!r} is taken by another source")
            self._remember(source)
            number = int(source.alias.removeprefix(RESOURCE_SCHEME).lstrip("cdbw"))
            self.counters[source.kind] = max(self.counters.get(source.kind, 0), number)

    def take_over(self, source: Source) -> str:
        """Return the alias here of what another run's alias stands for."""
        details = source.model_dump(exclude={"alias", "kind", "target"})
        return self._alias(source.kind, source.target, **details)

    # Looking up

    def find(self, alias: str) -> Source | None:
        """Return what the alias stands for, or None."""
        return self.sources.get(alias)

    def mentioned_in(self, text: str) -> tuple[Source, ...]:
        """Return the known sources whose aliases occur in the text, in order of occurrence."""
        found = dict.fromkeys(match.group() for match in _MENTION.finditer(text))
        return tuple(self.sources[alias] for alias in found if alias in self.sources)

    def decode_id(self, value: str, *, kind: AliasKind) -> str:
        """Return the real id for a tool's id argument; what is no alias passes as it is.

        Raises:
            ToolFailed: an alias that stands for nothing, or for another kind of thing.
        """
        text = value.strip().strip("[]【】").strip().lower()
        if not _ALIAS.fullmatch(text):
            return value
        source = self.sources.get(text)
        if source is not None and source.kind == kind:
            return source.target
        if source is not None and kind == "document" and source.document_id:
            return source.document_id
        raise ToolFailed(self._unknown(text, kind), code="unknown_alias")

    def _unknown(self, alias: str, kind: AliasKind) -> str:
        known = [source.alias for source in self.sources.values() if source.kind == kind]
        if not known:
            return f"There is no {kind} {alias!r}: no {kind} has been seen yet. Search first."
        shown = ", ".join(known[:20]) + (", …" if len(known) > 20 else "")
        return f"There is no {kind} {alias!r}. Known here: {shown}."

    # Rewriting text

    def encode(self, text: str) -> str:
        """Replace real addresses, then real ids, by their aliases; unknown ones stay."""
        for address in self._addresses_in(text):
            text = text.replace(address, self._by_target["resource", address])
        if "-" not in text:
            return text
        return _UUID.sub(lambda match: self._alias_of_id(match.group()), text)

    def _addresses_in(self, text: str) -> list[str]:
        addresses = [target for kind, target in self._by_target if kind == "resource"]
        # Longest first: one address may be the beginning of another.
        return sorted((a for a in addresses if a in text), key=len, reverse=True)

    def _alias_of_id(self, found: str) -> str:
        kinds: tuple[AliasKind, ...] = ("chunk", "document", "base")
        for kind in kinds:
            alias = self._by_target.get((kind, found.lower()))
            if alias is not None:
                return alias
        return found

    def decode_resources(self, text: str) -> str:
        """Replace res://NNNN by the real addresses; an unknown one becomes `#`."""
        if RESOURCE_SCHEME not in text:
            return text
        return _RESOURCE.sub(lambda match: self.address(match.group()), text)

    def address(self, alias: str) -> str:
        """Return a resource's real address, `#` when there is none."""
        source = self.sources.get(alias)
        return source.target if source is not None else "#"

    def encode_messages(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """Return the messages as the model may read them."""
        return [self._encode_message(message) for message in messages]

    def _encode_message(self, message: ChatMessage) -> ChatMessage:
        content = self.encode(message.content)
        calls = tuple(
            call.model_copy(update={"arguments": self.encode(call.arguments)})
            for call in message.tool_calls
        )
        if content == message.content and calls == message.tool_calls:
            return message
        return message.model_copy(update={"content": content, "tool_calls": calls})


def rewrite_aliases(text: str, sources: Mapping[str, Source], aliases: Aliases) -> str:
    """Return another run's text with that run's aliases (`sources`) replaced by those of `aliases`.

    What only looks like an alias was none in that run and stays.
    """

    def replacement(match: re.Match[str]) -> str:
        source = sources.get(match.group())
        return match.group() if source is None else aliases.take_over(source)

    return _MENTION.sub(replacement, text)


def _id(value: object) -> str:
    return str(value)


def _id_or_none(value: object) -> str | None:
    return None if value is None else _id(value)
