"""Forms of knowledge. They read fields; the services decide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from knowledge.base_settings import BaseSettings
from knowledge.constants import BaseKind

_WORDS: dict[str, tuple[Any, Any]] = {
    "split_size_characters": (
        _("Characters of a passage"),
        _("Holds for documents that are read from now on; “Read again” applies it."),
    ),
    "split_overlap_characters": (
        _("Overlap of passages"),
        _("Characters that a passage repeats from the one before it."),
    ),
    "split_strategy": (
        _("Splitting method"),
        _("Automatic chooses the best method that suits the text."),
    ),
    "split_token_limit": (
        _("Tokens of a passage"),
        _("Where it is not 0, it takes the place of the characters, by the text’s language."),
    ),
    "split_language": (_("Language"), _("Decides how many characters a token has.")),
    "split_parents": (
        _("Small passages in larger sections"),
        _("Small passages are searched; a model reads the section around what was found."),
    ),
    "split_parent_characters": (
        _("Characters of a section"),
        _("Only with small passages in larger sections."),
    ),
    "split_child_characters": (
        _("Characters of a small passage"),
        _("Only with small passages in larger sections, in place of the size above."),
    ),
    "retrieval_limit": (_("Passages a search returns"), ""),
    "retrieval_keyword_weight": (
        _("Weight of words"),
        _("Against the weight of meaning, which is 1; measured best: 2."),
    ),
    "retrieval_rerank": (_("Rerank"), ""),
    "retrieval_fusion": (
        _("How meaning and words are joined"),
        _("The first one was measured best, above all across languages."),
    ),
    "retrieval_dense_threshold": (
        _("Least likeness of meaning"),
        _("0: none. With the built-in model nearly all values lie between 0.7 and 0.95."),
    ),
    "retrieval_keyword_threshold": (
        _("Least share of the question’s words"),
        _("0: none. A passage stays while meaning or words name it."),
    ),
    "retrieval_rerank_threshold": (
        _("Least score of the rerank model"),
        _("0: none. Where nothing reaches it, the best stays if it is not hopeless."),
    ),
    "retrieval_mmr_lambda": (
        _("Relevance against variety"),
        _("1: relevance alone; less: passages that differ from each other come first."),
    ),
    "retrieval_faq_weight": (
        _("Weight of questions and answers"),
        _("Factor of their scores; 1 changes nothing."),
    ),
    "retrieval_wiki_weight": (
        _("Weight of wiki pages"),
        _("Factor of their scores; 1 changes nothing."),
    ),
    "retrieval_graph": (
        _("Search the graph"),
        _("Passages are found through the entities of the question, too."),
    ),
    "retrieval_graph_hops": (
        _("Steps in the graph"),
        _("How many relations away an entity may be."),
    ),
    "retrieval_neighbours": (
        _("Neighbors of a short passage"),
        _("Passages on each side that a model reads with it; 0: none."),
    ),
    "faq_index_mode": (_("What is searched"), _("Entries are indexed again when this changes.")),
    "faq_question_index": (
        _("Questions of an entry"),
        _("One by one is more exact with many different similar questions."),
    ),
    "enrichment_summary": (_("Summaries"), _("Some sentences about each document.")),
    "enrichment_tables": (
        _("Descriptions of tables"),
        _("What CSV and Excel tables and their columns are about."),
    ),
    "enrichment_questions": (
        _("Questions for passages"),
        _("Questions that each passage answers: more is found, at a price."),
    ),
    "enrichment_questions_per_passage": (_("Questions per passage"), ""),
    "enrichment_tags": (_("Automatic tags"), _("Puts existing tags on untagged documents.")),
    "enrichment_tags_most": (_("Maximum tags of a document"), ""),
    "graph_is_enabled": (
        _("Knowledge graph"),
        _(
            "A model reads people, things and their relations out of each passage, one call each."
            " The page “Graph” shows them; agents and searches go along them."
        ),
    ),
    "graph_entity_kinds": (
        _("Kinds of entities"),
        _("Separated by commas, for example: person, organization, place. Blank: any kind."),
    ),
    "graph_relation_kinds": (
        _("Kinds of relations"),
        _("Separated by commas, for example: owns, reports to. Blank: any kind."),
    ),
    "graph_example": (
        _("Example"),
        _("A short text and what is to be read out of it; the model sees it with each passage."),
    ),
}
"""Label and help of a setting; one that is not here has the title and description of its field."""
_HIDDEN = frozenset({"retrieval_rrf_k", "retrieval_graph_weight"})
"""For experts: set in the base's options as JSON."""
_LONGEST_LINE = 1000
"""Characters; longer texts get a larger field."""
_CHOICES: dict[str, Any] = {
    "auto": _("Automatic: where it helps"),
    "heading": _("By headings"),
    "heuristic": _("By chapters, numbers and page ends"),
    "recursive": _("By paragraphs and sentences"),
    "en": _("English or similar"),
    "de": _("German"),
    "zh": _("Chinese or Japanese"),
    "mixed": _("Mixed or another script"),
    "always": _("Always"),
    "never": _("Never"),
    "question_answer": _("Questions and answers"),
    "question_only": _("Only questions"),
    "combined": _("Together"),
    "separate": _("One by one"),
    "coverage": _("Meaning and the share of words"),
    "rrf": _("Their ranks (reciprocal rank fusion)"),
    "dense": _("Only meaning"),
    "keyword": _("Only words"),
    "best": _("The better of both"),
}
_SECTIONS: dict[str, Any] = {
    "split": _("Passages"),
    "retrieval": _("Search"),
    "faq": _("Questions and answers"),
    "parsing": _("Reading"),
    "parse": _("Reading"),
    "chunking": _("Passages"),
    "enrich": _("Enrichment"),
    "enrichment": _("Enrichment"),
    "graph": _("Knowledge graph"),
}


class BaseForm(forms.Form):
    """A new base."""

    name = forms.CharField(label=_("Name"), max_length=200)
    description = forms.CharField(
        label=_("Description"), required=False, max_length=2000, widget=forms.Textarea({"rows": 3})
    )
    kind = forms.ChoiceField(
        label=_("What it holds"),
        choices=BaseKind.choices,
        initial=BaseKind.DOCUMENT,
        required=False,
        widget=forms.RadioSelect,
    )

    def clean_kind(self) -> BaseKind:
        """Take documents where nothing was said."""
        return BaseKind(self.cleaned_data["kind"] or BaseKind.DOCUMENT)


class SettingsForm(forms.Form):
    """Every setting of a base, made from `BaseSettings`: a new one there is a field here."""

    def __init__(
        self, before: BaseSettings, *args: Any, sections: Any = None, **kwargs: Any
    ) -> None:
        """Make the fields of the settings; with `sections` only of those parts."""
        super().__init__(*args, **kwargs)
        self.before = before
        self._paths: dict[str, tuple[str, ...]] = {}
        for path, info, value in _walk(before, ()):
            field = _field_of("_".join(path), info, value)
            if field is not None and (sections is None or path[0] in sections):
                self.fields["_".join(path)] = field
                self._paths["_".join(path)] = path

    def parts(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Return the fields by section, each with its title."""
        found: dict[str, list[forms.BoundField]] = {}
        for name, path in self._paths.items():
            found.setdefault(path[0], []).append(self[name])
        return [(str(_SECTIONS.get(key, capfirst(key))), fields) for key, fields in found.items()]

    def clean(self) -> dict[str, Any]:
        """Check the settings as a whole."""
        data = super().clean() or {}
        if self.errors:
            return data
        try:
            self.cleaned_settings = BaseSettings.model_validate(self._dump(data))
        except ValidationError as error:
            for problem in error.errors():
                name = "_".join(str(part) for part in problem["loc"])
                self.add_error(name if name in self.fields else None, problem["msg"])
        return data

    @property
    def settings(self) -> BaseSettings:
        """The settings with what the form says."""
        return self.cleaned_settings

    def changed(self) -> dict[str, Any]:
        """Return only what differs from the settings before, as a part of a dump."""
        return _difference(self.before.model_dump(), self.cleaned_settings.model_dump())

    def _dump(self, data: dict[str, Any]) -> dict[str, Any]:
        dump = self.before.model_dump()
        for name, path in self._paths.items():
            value = data.get(name)
            if value is None or (
                value == "" and not isinstance(self.fields[name], forms.CharField)
            ):
                continue
            place = dump
            for part in path[:-1]:
                place = place[part]
            place[path[-1]] = value
        return dump


def setting_fields(part: BaseModel, *, section: str) -> dict[str, forms.Field]:
    """Return a form's fields for one part of the settings, by the names that the part has."""
    found = {}
    for path, info, value in _walk(part, (section,)):
        field = _field_of("_".join(path), info, value)
        if field is not None:
            found["_".join(path[1:])] = field
    return found


def setting_label(section: str, name: str) -> str:
    """Return what people call a setting."""
    known = _WORDS.get(f"{section}_{name}")
    return str(known[0]) if known else name.replace("_", " ")


def _walk(
    value: BaseModel, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], FieldInfo, Any]]:
    for name, info in type(value).model_fields.items():
        inner = getattr(value, name)
        if isinstance(inner, BaseModel):
            yield from _walk(inner, (*path, name))
        else:
            yield (*path, name), info, inner


def _field_of(name: str, info: FieldInfo, value: Any) -> forms.Field | None:
    """Return the form's field for a setting; None for kinds that a form does not show."""
    fallback = (capfirst(info.title or name.partition("_")[2].replace("_", " ")), info.description)
    if name in _HIDDEN:
        return None
    label, help_text = _WORDS.get(name, fallback)
    common = {"label": label, "help_text": help_text or "", "initial": value, "required": False}
    bounds = _bounds(info)
    if get_origin(info.annotation) is Literal:
        choices = [(each, _CHOICES.get(each, each)) for each in get_args(info.annotation)]
        return forms.ChoiceField(choices=choices, **common)
    if info.annotation is bool:
        return forms.BooleanField(**common)
    if info.annotation is int:
        return forms.IntegerField(**bounds, **common)
    if info.annotation is float:
        return forms.FloatField(**bounds, **common)
    if info.annotation is str:
        most = next(
            (each.max_length for each in info.metadata if hasattr(each, "max_length")), 4000
        )
        widget = forms.Textarea({"rows": 5}) if most > _LONGEST_LINE else forms.TextInput
        return forms.CharField(max_length=most, widget=widget, **common)
    return None


def _bounds(info: FieldInfo) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in info.metadata:
        if getattr(each, "ge", None) is not None:
            found["min_value"] = each.ge
        if getattr(each, "le", None) is not None:
            found["max_value"] = each.le
    return found


def _difference(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in after.items():
        if isinstance(value, dict) and isinstance(before.get(name), dict):
            if inner := _difference(before[name], value):
                found[name] = inner
        elif before.get(name) != value:
            found[name] = value
    return found
