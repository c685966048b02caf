"""Short ids: given once, encoded before calls, decoded in arguments."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given, settings, strategies as st

from agents.engine.aliases import Aliases
from agents.engine.errors import ToolFailed
from providers.contracts.chat import ChatMessage, ToolCall

CHUNK = uuid.UUID(int=1)
DOCUMENT = uuid.UUID(int=2)


def test_an_id_gets_one_alias_in_the_order_of_first_use() -> None:
    aliases = Aliases()
    assert [aliases.chunk(CHUNK), aliases.chunk(uuid.UUID(int=9)), aliases.chunk(CHUNK)] == [
        "c1",
        "c2",
        "c1",
    ]
    assert (aliases.document(DOCUMENT), aliases.base(DOCUMENT)) == ("d1", "b1")
    assert (aliases.web("https://a.example"), aliases.resource("/x.png")) == ("w1", "res://0001")


def test_known_ids_in_text_are_encoded_and_unknown_ones_stay() -> None:
    aliases = Aliases()
    aliases.chunk(CHUNK)
    other = uuid.UUID(int=77)
    text = f"passage {str(CHUNK).upper()} of {other}"
    assert aliases.encode(text) == f"passage c1 of {other}"


def test_addresses_are_encoded_before_the_ids_inside_of_them() -> None:
    aliases = Aliases()
    aliases.document(DOCUMENT)
    address = f"/files/{DOCUMENT}/page.png"
    aliases.resource(address)
    slug = f"summary-{DOCUMENT}"
    assert aliases.encode(f"![p]({address}) {slug} {DOCUMENT}") == f"![p](res://0001) {slug} d1"


def test_the_longer_address_wins() -> None:
    aliases = Aliases()
    aliases.resource("/a.png")
    aliases.resource("/a.png?size=2")
    assert aliases.encode("/a.png?size=2 /a.png") == "res://0002 res://0001"


def test_messages_and_arguments_are_encoded_and_kept_when_nothing_changes() -> None:
    aliases = Aliases()
    aliases.chunk(CHUNK)
    plain = ChatMessage(role="user", content="hello")
    call = ToolCall(call_id="a", name="read", arguments=f'{{"id": "{CHUNK}"}}')
    asked = ChatMessage(role="assistant", content="", tool_calls=(call,))
    encoded = aliases.encode_messages([plain, asked])
    assert encoded[0] is plain
    assert encoded[1].tool_calls[0].arguments == '{"id": "c1"}'


@pytest.mark.parametrize("written", ["c1", "C1", "[c1]", " c1 ", "【c1】"])
def test_an_alias_in_an_argument_becomes_the_id(written: str) -> None:
    aliases = Aliases()
    aliases.chunk(CHUNK)
    assert aliases.decode_id(written, kind="chunk") == str(CHUNK)


def test_what_is_no_alias_passes() -> None:
    assert Aliases().decode_id(str(CHUNK), kind="chunk") == str(CHUNK)


def test_a_passage_stands_for_its_document() -> None:
    aliases = Aliases()
    aliases.chunk(CHUNK, document_id=DOCUMENT)
    assert aliases.decode_id("c1", kind="document") == str(DOCUMENT)


def test_an_unknown_alias_is_told_with_the_known_ones() -> None:
    aliases = Aliases()
    aliases.chunk(CHUNK)
    aliases.chunk(uuid.UUID(int=9))
    with pytest.raises(ToolFailed, match="no chunk 'c9'. Known here: c1, c2") as caught:
        aliases.decode_id("c9", kind="chunk")
    assert caught.value.code == "unknown_alias"


def test_an_alias_of_another_kind_is_refused() -> None:
    aliases = Aliases()
    aliases.base(DOCUMENT)
    with pytest.raises(ToolFailed, match="no chunk has been seen yet"):
        aliases.decode_id("b1", kind="chunk")


def test_aliases_survive_storage() -> None:
    aliases = Aliases()
    aliases.chunk(CHUNK, document_id=DOCUMENT, title="A", page=3)
    aliases.resource("/x.png")
    again = Aliases.model_validate_json(aliases.model_dump_json())
    assert again == aliases
    assert again.chunk(CHUNK) == "c1"
    assert again.chunk(DOCUMENT) == "c2"


def test_adopted_aliases_keep_their_numbers() -> None:
    first = Aliases()
    for number in range(1, 6):
        first.chunk(f"chunk-{number}")
    later = Aliases()
    later.adopt(first.mentioned_in("[c4] and c5"))
    assert later.chunk("chunk-4") == "c4"
    assert later.chunk("new") == "c6"


def test_adopting_a_contradiction_is_refused() -> None:
    first, second = Aliases(), Aliases()
    first.chunk("one")
    second.chunk("two")
    with pytest.raises(ValueError, match="'c1' is taken"):
        second.adopt(first.mentioned_in("c1"))


def test_only_whole_words_are_mentions() -> None:
    aliases = Aliases()
    aliases.chunk(CHUNK)
    assert aliases.mentioned_in("abc1 c1x c12") == ()
    assert [source.alias for source in aliases.mentioned_in('id="c1"')] == ["c1"]


@given(ids=st.lists(st.uuids(), min_size=1, max_size=20, unique=True))
@settings(deadline=None, max_examples=50, derandomize=True)
def test_every_alias_decodes_to_its_id(ids: list[uuid.UUID]) -> None:
    aliases = Aliases()
    given_out = [aliases.chunk(each) for each in ids]
    assert [aliases.decode_id(alias, kind="chunk") for alias in given_out] == list(map(str, ids))
    assert aliases.encode(" ".join(map(str, ids))) == " ".join(given_out)
