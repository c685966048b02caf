"""How verdicts on an answer's sentences are shown: a mark behind each, a count, the reasons in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from accounts.access import Actor
from agents.constants import VerdictMethod, VerdictState
from agents.live.frames import Frame, Op, frame
from agents.queries import get_run
from agents.verdicts.marking import Mark, mark_sentences
from agents.verdicts.reading import ShownVerdict, verdicts_of_runs
from agents.verdicts.sentences import plain
from agents.verdicts.values import Reason
from core.markdown import render_markdown

_ICONS = {
    VerdictState.SUPPORTED: "check",
    VerdictState.PARTLY: "circle-alert",
    VerdictState.UNSUPPORTED: "circle-x",
}
_SHORT = {
    VerdictState.SUPPORTED: gettext_lazy("supported"),
    VerdictState.PARTLY: gettext_lazy("partly"),
    VerdictState.UNSUPPORTED: gettext_lazy("not supported"),
}
_REASONS = {
    "number_differs": gettext_lazy("The source does not have the number %(claimed)s."),
    "number_elsewhere": gettext_lazy("The source has %(claimed)s, but for something else."),
    "number_rounded": gettext_lazy("%(claimed)s is rounded."),
    "unit_differs": gettext_lazy("%(claimed)s has another unit or size than in the source."),
    "date_differs": gettext_lazy("The source does not have the date %(claimed)s."),
    "date_elsewhere": gettext_lazy("The source has %(claimed)s, but for something else."),
    "name_missing": gettext_lazy("The source does not name %(claimed)s."),
    "quote_differs": gettext_lazy("The source does not have these words: %(claimed)s."),
    "negation_differs": gettext_lazy("One denies what the other says."),
    "direction_differs": gettext_lazy("The source says the opposite of “%(claimed)s”."),
    "words_missing": gettext_lazy("The source says only a part of it in these words."),
    "other_source": gettext_lazy("Another source of this answer says it, not the cited one."),
    "other_language": gettext_lazy(
        "The source is in another language; only figures and names were compared."
    ),
    "no_source": gettext_lazy("No source of this answer is cited for it."),
    "passage_not_kept": gettext_lazy("No passage of this source is kept that could be compared."),
    "model_says_so": gettext_lazy("A language model found that the source does not say all of it."),
}


def verdicts_context(
    run_id: str, verdicts: Sequence[ShownVerdict] | None, *, beside_answer: bool = True
) -> dict[str, Any] | None:
    """Return the context of `chat/_verdicts.html`; None for an answer without verdicts.

    Without the answer beside it every sentence is listed, also what is supported.
    """
    if not verdicts:
        return None
    listed = [
        each for each in verdicts if each.state != VerdictState.SUPPORTED or not beside_answer
    ]
    return {
        "run_id": run_id,
        "summary": summary_of(verdicts),
        "beside_answer": beside_answer,
        "has_unsupported": any(each.state == VerdictState.UNSUPPORTED for each in verdicts),
        "by_model": any(each.method == VerdictMethod.MODEL for each in verdicts),
        "lines": [line_context(run_id, each) for each in listed],
    }


def summary_of(verdicts: Sequence[ShownVerdict]) -> str:
    """Return how many sentences there are of each kind, as one line."""
    counts = Counter(each.state for each in verdicts)
    total = len(verdicts)
    told = ngettext("%(n)s sentence checked", "%(n)s sentences checked", total) % {"n": total}
    parts = [
        _("%(n)s supported") % {"n": counts[VerdictState.SUPPORTED]},
        _("%(n)s partly") % {"n": counts[VerdictState.PARTLY]},
        _("%(n)s not supported") % {"n": counts[VerdictState.UNSUPPORTED]},
    ]
    return " · ".join([told, *parts])


def line_context(run_id: str, verdict: ShownVerdict) -> dict[str, Any]:
    """Return one sentence with its reasons in words, for the list below the answer."""
    state = VerdictState(verdict.state)
    return {
        "id": f"verdict-{run_id}-{verdict.index}",
        "state": verdict.state,
        "label": state.label,
        "icon": _ICONS[state],
        "text": plain(verdict.text),
        "reasons": [words_of(each) for each in verdict.reasons],
        "markers": verdict.markers,
    }


def words_of(reason: Reason) -> str:
    """Return a reason in the reader's language, with what the source has instead."""
    told = str(_REASONS.get(reason.code, reason.code)) % {"claimed": reason.claimed}
    if reason.code == "model_says_so":
        return reason.found or told
    if reason.found:
        return told + " " + _("It has: %(found)s") % {"found": reason.found}
    return told


def marked_answer(run_id: str, html: str, verdicts: Sequence[ShownVerdict]) -> SafeString:
    """Return an answer's sanitised HTML with a mark behind each sentence."""
    marks = [
        Mark(
            sentence=each.text,
            css_class=f"is-{each.state}",
            html=_mark_html(run_id, each),
        )
        for each in verdicts
    ]
    return mark_safe(mark_sentences(html, marks))  # noqa: S308  # sanitised, with our own templates


def verdicts_frame(actor: Actor, run_id: UUID) -> Frame:
    """Return the frame that shows the verdicts of a run that was just checked.

    Raises:
        NotFound: the run is none of the actor's.
    """
    run = get_run(actor, run_id)
    verdicts = verdicts_of_runs(actor, [run]).get(run.pk)
    key = str(run.pk)
    context = {"run_id": key, "verdicts": verdicts_context(key, verdicts)}
    html = render_to_string("chat/_verdicts.html", context)
    ops: list[Op] = [{"op": "replace", "to": f"#run-{key}-verdicts", "html": html, "follow": False}]
    if verdicts and run.answer is not None:
        answer = marked_answer(key, render_markdown(run.answer.text, run_id=key), verdicts)
        ops = [
            {"op": "md.end", "to": f"#run-{key}-answer", "html": str(answer)},
            *ops,
            {"op": "say", "text": summary_of(verdicts), "level": "polite"},
        ]
    return frame(key, ops)


def _mark_html(run_id: str, verdict: ShownVerdict) -> str:
    state = VerdictState(verdict.state)
    context = {
        "state": verdict.state,
        "label": state.label,
        "short": _SHORT[state],
        "icon": _ICONS[state],
        "target": "" if state == VerdictState.SUPPORTED else f"verdict-{run_id}-{verdict.index}",
    }
    return render_to_string("chat/_verdict_mark.html", context).strip()
