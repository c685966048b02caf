"""Who works on the quality of a base: those who may edit what it holds.

Whether a question rests on documents that are closed to them is asked when it is read:
`knowledge.evaluation.queries`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from accounts.access import Action, InheritedPolicy, register
from knowledge.models import EvaluationResult, EvaluationRun, GoldenQuestion, KnowledgeBase


class GoldenPolicy(InheritedPolicy):
    """A golden question is for those who may edit its base."""

    area = "evaluations"
    parent_field = "base"
    parent_model = KnowledgeBase
    actions: ClassVar[Mapping[Action, Action]] = {
        "view": "edit",
        "create": "edit",
        "change": "edit",
        "delete": "edit",
    }


class EvaluationPolicy(GoldenPolicy):
    """An evaluation is for those who may edit its base."""


class ResultPolicy(InheritedPolicy):
    """A result is as open as its evaluation."""

    area = "evaluations"
    parent_field = "run"
    parent_model = EvaluationRun
    actions: ClassVar[Mapping[Action, Action]] = {"view": "view"}


register(GoldenQuestion, GoldenPolicy())
register(EvaluationRun, EvaluationPolicy())
register(EvaluationResult, ResultPolicy())
