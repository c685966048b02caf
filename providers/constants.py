"""Closed choices of providers: types of models, kinds of services."""

from django.db import models
from django.utils.translation import gettext_lazy as _, pgettext_lazy


class ModelType(models.TextChoices):
    """What a model does."""

    CHAT = "chat", pgettext_lazy("kind of a model", "Chat")
    EMBEDDING = "embedding", _("Embedding")
    RERANK = "rerank", _("Rerank")
    VISION = "vision", _("Vision")
    SPEECH = "speech", _("Speech")


class Provider(models.TextChoices):
    """How its service is spoken to."""

    LOCAL = "local", _("Built in")
    OPENAI_COMPATIBLE = "openai_compatible", _("OpenAI-compatible")
    AZURE = "azure", _("Azure OpenAI")
    RERANK = "rerank", _("Cohere/Jina-style rerank")
