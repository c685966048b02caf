"""Each model is on the admin site, in the theme, or says why it is not."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib.admin import site
from django.db import models
from unfold.admin import ModelAdmin

from accounts.admin_base import SuperuserAdmin
from tests.contracts.test_models import OUR_APPS

CONTENT = "what is in documents and conversations is for those whom access lets read it"
PERSONAL = "a person's own; nobody else reads it"
INNER = "a part of a row that is on the site"
NOT_HERE = {
    "accounts.StorageUse": INNER,
    "agents.AgentVersion": CONTENT,
    "agents.AnswerFeedback": CONTENT,
    "agents.ApprovalSettings": INNER,
    "agents.Artifact": CONTENT,
    "agents.FamiliarDocument": PERSONAL,
    "agents.HiddenAgent": INNER,
    "agents.MemoryItem": PERSONAL,
    "agents.MemoryOwner": PERSONAL,
    "agents.MemorySettings": PERSONAL,
    "agents.MemoryTombstone": PERSONAL,
    "agents.MemoryTopic": PERSONAL,
    "agents.MemoryUse": PERSONAL,
    "agents.Message": CONTENT,
    "agents.MessageBlob": CONTENT,
    "agents.RunEvent": CONTENT,
    "agents.SentenceVerdict": CONTENT,
    "agents.StoredResult": CONTENT,
    "agents.SuggestionEvent": CONTENT,
    "agents.SuggestionSet": CONTENT,
    "agents.ToolCall": CONTENT,
    "agents.UnansweredQuestion": CONTENT,
    "knowledge.BaseMark": PERSONAL,
    "knowledge.Chunk": CONTENT,
    "knowledge.Correction": CONTENT,
    "knowledge.CorrectionRevision": CONTENT,
    "knowledge.DocumentBasis": "follows from the sources of wiki pages",
    "knowledge.DocumentPicture": CONTENT,
    "knowledge.DocumentTag": INNER,
    "knowledge.DocumentVersion": CONTENT,
    "knowledge.DocumentWall": "follows from restrictions",
    "knowledge.Embedding": CONTENT,
    "knowledge.EvaluationResult": CONTENT,
    "knowledge.EvaluationRun": INNER,
    "knowledge.EvidenceRow": CONTENT,
    "knowledge.FaqEntry": CONTENT,
    "knowledge.FaqImport": CONTENT,
    "knowledge.FaqQuestion": CONTENT,
    "knowledge.Folder": CONTENT,
    "knowledge.GraphEntity": CONTENT,
    "knowledge.GraphMention": CONTENT,
    "knowledge.GraphPassage": CONTENT,
    "knowledge.GraphRelation": CONTENT,
    "knowledge.GoldenQuestion": CONTENT,
    "knowledge.KeywordRow": CONTENT,
    "knowledge.PageHealth": INNER,
    "knowledge.RemovedDocument": "a trace without content, for the access checks alone",
    "knowledge.RestrictionGroupGrant": "granted on the document's page; the lens explains it",
    "knowledge.RestrictionUserGrant": "granted on the document's page; the lens explains it",
    "knowledge.SearchRecord": CONTENT,
    "knowledge.Stage": CONTENT,
    "knowledge.Tag": INNER,
    "knowledge.TermStatistic": CONTENT,
    "sandbox.SkillConsent": INNER,
    "sandbox.SkillVariable": "they hold secrets, some of them personal",
    "wiki.WikiComment": CONTENT,
    "wiki.WikiDraft": PERSONAL,
    "wiki.WikiFolder": CONTENT,
    "wiki.WikiLink": INNER,
    "wiki.WikiNotice": PERSONAL,
    "wiki.WikiReading": CONTENT,
    "wiki.WikiRedirect": INNER,
    "wiki.WikiRefusal": INNER,
    "wiki.WikiReview": CONTENT,
    "wiki.WikiReviewer": INNER,
    "wiki.WikiRevision": CONTENT,
    "wiki.WikiSentence": CONTENT,
    "wiki.WikiWatch": PERSONAL,
}
SECRET = {"mfa.Authenticator", "socialaccount.SocialApp", "socialaccount.SocialToken"}
MODELS = [model for model in apps.get_models() if model._meta.app_label in OUR_APPS]
FORBIDDEN = (
    *("password", "api_key", "extra_headers", "key_hash", "token", "session_key", "invite_code"),
    *("extra_data", "arguments", "question", "loop_state", "instructions"),
)
"""Fields that no page of the site shows."""


@pytest.mark.parametrize("model", MODELS, ids=lambda one: one._meta.label)
def test_a_model_is_registered_or_listed_with_its_reason(model: type[models.Model]) -> None:
    assert site.is_registered(model) != (model._meta.label in NOT_HERE)


def test_the_list_holds_nothing_that_is_gone() -> None:
    assert set(NOT_HERE) <= {model._meta.label for model in MODELS}


@pytest.mark.parametrize("model", site._registry, ids=lambda one: one._meta.label)
def test_every_page_is_in_the_theme_and_for_superusers(model: type[models.Model]) -> None:
    assert isinstance(site.get_model_admin(model), ModelAdmin)
    assert isinstance(site.get_model_admin(model), SuperuserAdmin)


@pytest.mark.parametrize("model", site._registry, ids=lambda one: one._meta.label)
def test_no_list_searches_or_shows_a_secret(model: type[models.Model]) -> None:
    admin = site.get_model_admin(model)
    if model._meta.label == "core.BackgroundJob":
        return  # its arguments are ids
    shown = {*admin.list_display, *(field.split("__")[-1] for field in admin.search_fields)}
    assert not shown & set(FORBIDDEN)


def test_what_holds_secrets_of_signing_in_is_not_on_the_site() -> None:
    assert not SECRET & {model._meta.label for model in site._registry}
