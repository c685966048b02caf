"""What of a document's state keeps its passages from being found."""

from __future__ import annotations

from django.utils.translation import gettext as _

from accounts.access import Actor
from knowledge.constants import OPEN_STATES, DocumentState
from knowledge.models import Document, KnowledgeBase
from knowledge.stored_reasons import told
from knowledge.why_not import remedies
from knowledge.why_not.find import Located
from knowledge.why_not.verdicts import Fact, Stage, Verdict

_STUCK: dict[str, Stage] = {
    DocumentState.FAILED: "failed",
    DocumentState.REFUSED: "refused",
    DocumentState.NEEDS_INPUT: "refused",
    DocumentState.CANCELLED: "stopped",
}


def text_problem(actor: Actor, base: KnowledgeBase, located: Located) -> Verdict | None:
    """Say that a text stands in no passage; None when it does, or when only a document is meant.

    A text that was read but is in no passage alone is cut; a document that is not read yet holds
    no text, which is its own verdict.
    """
    document = located.document
    if document is None:
        return Verdict(stage="no_text", remedies=remedies.add_document(actor, base))
    if located.chunk is not None or located.is_in_read_text is None:
        return None
    if (stuck := document_problem(actor, document)) is not None:
        return stuck
    if located.is_in_read_text:
        numbers = ", ".join(f"#{part.position + 1}" for part in located.parts)
        return Verdict(
            stage="cut",
            facts=(Fact(label=_("Passages"), value=numbers),) if numbers else (),
            remedies=(
                *remedies.cut_otherwise(actor, document),
                *(remedies.edit_passage(actor, located.parts[0]) if located.parts else ()),
                remedies.see_document(document),
            ),
        )
    return Verdict(
        stage="not_parsed",
        facts=_how_read(document),
        remedies=(*remedies.read_again(actor, document), remedies.see_timeline(document)),
    )


def document_problem(actor: Actor, document: Document) -> Verdict | None:
    """Say why nothing of the document can be found; None when that is not so."""
    if document.trashed_at is not None:
        return Verdict(stage="trashed", remedies=remedies.restore(actor, document))
    if document.searchable_at is not None:
        return None
    facts = [Fact(label=_("State"), value=str(DocumentState(document.state).label))]
    if document.reason:
        facts.append(Fact(label=_("Reason"), value=told(document.reason)))
    stage = _STUCK.get(document.state, "reading")
    again = () if document.state in OPEN_STATES else remedies.read_again(actor, document)
    return Verdict(
        stage=stage,
        facts=tuple(facts),
        remedies=(
            *remedies.give_password(actor, document),
            *again,
            remedies.see_timeline(document),
        ),
    )


def no_passages(actor: Actor, document: Document) -> Verdict:
    """Say that a document was read and nothing came of it."""
    return Verdict(
        stage="not_parsed",
        facts=_how_read(document),
        remedies=(*remedies.read_again(actor, document), remedies.see_timeline(document)),
    )


def _how_read(document: Document) -> tuple[Fact, ...]:
    facts = [Fact(label=_("Passages"), value=str(document.chunk_count))]
    if document.confidence is not None:
        facts.append(Fact(label=_("Confidence of reading"), value=f"{document.confidence:.0%}"))
    facts += [Fact(label=_("Warning"), value=told(str(each))) for each in document.warnings[:3]]
    return tuple(facts)
