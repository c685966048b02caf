"""Who sees a picture, how it is answered, and what happens to its description."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from core.errors import AccessDenied, Invalid, NotFound
from core.tenancy import space_scope
from knowledge.access.restrict import Place, restrict
from knowledge.constants import ChunkKind
from knowledge.evidence import Cited, read_evidence, store_evidence
from knowledge.models import Chunk, DocumentPicture, KeywordRow
from knowledge.pictures.services import describe_picture, get_picture
from knowledge.pictures.shown import passages_html
from knowledge.text.pictures import picture_id, references_of, without_references, write_reference
from tests.factories.knowledge import make_base, make_document
from tests.factories.pictures import make_picture, picture_key
from tests.personas import Persona

pytestmark = pytest.mark.django_db
TEXT = f"Before it.\n\n{write_reference(picture_key(), 'A teal square')}\n\nBehind it."


@pytest.fixture(autouse=True)
def quiet_installation(settings: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def picture(olivia: Persona, quiet_installation: None) -> Iterator[DocumentPicture]:
    """A picture that a passage of its document shows, in the scope of space A."""
    base = make_base(olivia.space, created_by=olivia.user)
    with space_scope(olivia.space.pk):
        yield make_picture(make_document(base, name="squares.md", texts=[TEXT]))


def test_a_member_gets_our_own_bytes_under_a_type_that_runs_nothing(
    victor: Persona, picture: DocumentPicture, client: Client
) -> None:
    client.force_login(victor.user)
    response = client.get(reverse("picture", args=[picture.pk]))
    assert response["Content-Type"] == "image/webp"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response["Content-Security-Policy"]
    assert response["Cache-Control"].startswith("private")
    assert response.content[:4] == b"RIFF"


def test_another_space_gets_nothing(mallory: Persona, picture: DocumentPicture) -> None:
    with space_scope(mallory.space.pk), pytest.raises(NotFound):
        get_picture(mallory.actor, picture.pk)


def test_a_restricted_picture_is_kept_by_no_browser(
    olivia: Persona, victor: Persona, picture: DocumentPicture, client: Client
) -> None:
    """Who is kept out gets none, who reads gets it anew each time."""
    wall_off(olivia, picture)
    client.force_login(victor.user)
    assert client.get(reverse("picture", args=[picture.pk])).status_code == 404
    client.force_login(olivia.user)
    response = client.get(reverse("picture", args=[picture.pk]))
    assert response["Cache-Control"] == "private, no-store"


def test_a_description_is_found_at_once_and_kept_from_models(
    olivia: Persona, picture: DocumentPicture
) -> None:
    describe_picture(olivia.actor, picture_id=picture.pk, caption="  Zanzibar \n turnover ")
    child = Chunk.objects.get(kind=ChunkKind.PICTURE_CAPTION)
    assert child.text == "Zanzibar turnover"
    assert child.detail["origin"] == "person"
    assert "zanzibar" in KeywordRow.objects.get(chunk=child).terms
    picture.refresh_from_db()
    assert picture.caption_is_edited
    assert AuditEvent.objects.filter(action="document.describe_picture").exists()


def test_another_description_takes_the_place_of_the_first(
    olivia: Persona, picture: DocumentPicture
) -> None:
    describe_picture(olivia.actor, picture_id=picture.pk, caption="First")
    describe_picture(olivia.actor, picture_id=picture.pk, caption="Second")
    assert Chunk.objects.get(kind=ChunkKind.PICTURE_CAPTION).text == "Second"
    describe_picture(olivia.actor, picture_id=picture.pk, caption="")
    assert not Chunk.objects.filter(kind=ChunkKind.PICTURE_CAPTION).exists()


def test_a_viewer_cannot_describe(victor: Persona, picture: DocumentPicture) -> None:
    with pytest.raises(AccessDenied):
        describe_picture(victor.actor, picture_id=picture.pk, caption="Mine")


def test_a_description_has_a_length(olivia: Persona, picture: DocumentPicture) -> None:
    with pytest.raises(Invalid, match="at most 1000"):
        describe_picture(olivia.actor, picture_id=picture.pk, caption="x" * 1001)


def test_a_passage_shows_what_is_kept_and_says_what_is_not(picture: DocumentPicture) -> None:
    document_id = picture.document_id
    other = TEXT.replace(picture_key(), picture_key("navy"))
    shown, told = passages_html([(document_id, TEXT), (document_id, other)])
    address = reverse("picture", args=[picture.pk])
    assert f'<a href="{address}"' in shown
    assert f'src="{address}"' in shown
    assert "<img" not in told
    assert "A teal square" in told


def test_a_passage_of_another_document_does_not_show_it(
    olivia: Persona, picture: DocumentPicture
) -> None:
    """A reference that somebody writes into a file of their own opens nothing."""
    other = make_document(picture.document.base, name="thief.md", texts=[TEXT])
    (html,) = passages_html([(other.pk, TEXT)])
    assert "<img" not in html


def test_words_of_a_picture_cannot_leave_their_place() -> None:
    reference = write_reference(picture_key(), "x](https://spy.example) <script>\n[y")
    (found,) = references_of(reference)
    assert found.words == "x)(https://spy.example) <script> (y"
    assert without_references(f"a {reference} b") == f"a {found.words} b"


def test_evidence_quotes_words_and_shows_the_picture(
    victor: Persona, picture: DocumentPicture
) -> None:
    chunk = Chunk.objects.get(document=picture.document)
    origin = picture_id(picture.pk, "an answer")
    store_evidence(picture.space_id, origin, [Cited(marker=1, chunk_id=chunk.pk)])
    (evidence,) = read_evidence(victor.actor, origin_id=origin)
    assert evidence.text == "Before it.\n\nA teal square\n\nBehind it."
    assert evidence.pictures == {picture.pk}


def test_the_page_of_pictures_offers_a_description_to_who_may_change(
    olivia: Persona, victor: Persona, picture: DocumentPicture, client: Client
) -> None:
    address = reverse("document_pictures", args=[picture.document_id])
    client.force_login(olivia.user)
    assert "<textarea" in client.get(address).content.decode()
    client.force_login(victor.user)
    page = client.get(address).content.decode()
    assert "<textarea" not in page
    assert reverse("picture", args=[picture.pk]) in page


def test_the_preview_of_passages_shows_pictures(
    victor: Persona, picture: DocumentPicture, client: Client
) -> None:
    client.force_login(victor.user)
    page = client.get(reverse("document", args=[picture.document_id])).content.decode()
    assert f'src="{reverse("picture", args=[picture.pk])}"' in page


def wall_off(olivia: Persona, picture: DocumentPicture) -> None:
    """Let olivia alone read the picture's document."""
    place = Place(base_id=picture.document.base_id, document_id=picture.document_id)
    restrict(olivia.actor, place, user_ids=[], group_ids=[])
