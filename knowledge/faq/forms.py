"""Forms of questions and answers. They read fields; the services decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from knowledge.constants import AnswerStrategy, ImportMode
from knowledge.faq.drafts import ANSWER_CHARACTERS, QUESTION_CHARACTERS, EntryDraft
from knowledge.faq.search import COUNT, MOST, THRESHOLD
from knowledge.models import Tag


class EntryForm(forms.Form):
    """One entry; its answers are the repeated field `answers`, read by `draft`."""

    standard_question = forms.CharField(
        label=_("Standard question"), max_length=QUESTION_CHARACTERS
    )
    similar_questions = forms.CharField(
        label=_("Similar questions"),
        help_text=_("Other ways to ask it, one per line."),
        required=False,
        widget=forms.Textarea({"rows": 4}),
    )
    negative_questions = forms.CharField(
        label=_("Negative questions"),
        help_text=_("Whoever asks exactly this means something else and does not get the entry."),
        required=False,
        widget=forms.Textarea({"rows": 2}),
    )
    answers = forms.CharField(label=_("Answers"), required=False, max_length=ANSWER_CHARACTERS)
    strategy = forms.ChoiceField(
        label=_("Of several answers"), choices=AnswerStrategy.choices, widget=forms.RadioSelect
    )
    tag = forms.ChoiceField(label=_("Tag"), required=False)
    is_enabled = forms.BooleanField(
        label=_("Enabled"), help_text=_("Nobody finds a disabled entry."), required=False
    )
    is_recommended = forms.BooleanField(
        label=_("Recommended"), help_text=_("It may be offered as a question."), required=False
    )
    version = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, tags: Sequence[Tag], *args: Any, **kwargs: Any) -> None:
        """Offer the tags of the base."""
        super().__init__(*args, **kwargs)
        self.fields["tag"] = forms.ChoiceField(
            label=_("Tag"),
            required=False,
            choices=[("", _("None")), *((tag.name, tag.name) for tag in tags)],
        )

    @property
    def answer_texts(self) -> list[str]:
        """The answers as they were sent, or as they stand; one blank where there is none."""
        if isinstance(self.data, QueryDict) and self.is_bound:
            texts = self.data.getlist("answers")
        else:
            texts = list(self.initial.get("answers", ()))
        return [str(text) for text in texts] or [""]

    def draft(self) -> EntryDraft:
        """Return what a valid form says."""
        data = self.cleaned_data
        return EntryDraft(
            standard_question=data["standard_question"],
            similar_questions=tuple(data["similar_questions"].splitlines()),
            negative_questions=tuple(data["negative_questions"].splitlines()),
            answers=tuple(self.answer_texts),
            strategy=AnswerStrategy(data["strategy"]),
            tag=data["tag"],
            is_enabled=data["is_enabled"],
            is_recommended=data["is_recommended"],
        )


def initial_of(draft: EntryDraft, *, version: int) -> dict[str, Any]:
    """Return an entry as the first values of its form."""
    return {
        "standard_question": draft.standard_question,
        "similar_questions": "\n".join(draft.similar_questions),
        "negative_questions": "\n".join(draft.negative_questions),
        "answers": draft.answers,
        "strategy": draft.strategy,
        "tag": draft.tag,
        "is_enabled": draft.is_enabled,
        "is_recommended": draft.is_recommended,
        "version": version,
    }


class ImportForm(forms.Form):
    """A file of entries."""

    file = forms.FileField(
        label=_("File"),
        help_text=_("CSV, Excel or JSON. Several questions or answers in a cell: ## between them."),
        widget=forms.FileInput({"accept": ".csv,.tsv,.txt,.xlsx,.xls,.ods,.json"}),
    )
    mode = forms.ChoiceField(
        label=_("Existing entries"),
        choices=ImportMode.choices,
        initial=ImportMode.APPEND,
        widget=forms.RadioSelect,
    )
    is_dry_run = forms.BooleanField(
        label=_("Trial run"),
        help_text=_("Shows what would happen and changes nothing."),
        required=False,
    )


class FaqSearchForm(forms.Form):
    """The search test."""

    question = forms.CharField(
        label=_("Question"), max_length=2000, widget=forms.Textarea({"rows": 3})
    )
    threshold = forms.FloatField(
        label=_("Minimum score"), min_value=0, max_value=1, initial=THRESHOLD, required=False
    )
    count = forms.IntegerField(
        label=_("Maximum entries"), min_value=1, max_value=MOST, initial=COUNT, required=False
    )
    first = forms.MultipleChoiceField(
        label=_("Tags that come first"), required=False, widget=forms.CheckboxSelectMultiple
    )
    second = forms.MultipleChoiceField(
        label=_("Tags that come next"), required=False, widget=forms.CheckboxSelectMultiple
    )
    only_recommended = forms.BooleanField(label=_("Only recommended entries"), required=False)

    def __init__(self, tags: Sequence[Tag], *args: Any, **kwargs: Any) -> None:
        """Offer the tags of the base; without any, there is nothing to put first."""
        super().__init__(*args, **kwargs)
        for name in ("first", "second"):
            if not tags:
                del self.fields[name]
                continue
            field = self.fields[name]
            assert isinstance(field, forms.MultipleChoiceField)
            field.choices = [(str(tag.pk), tag.name) for tag in tags]
