"""Tables of the wiki."""

from wiki.models.building import WikiBuild, WikiOperation, WikiReading
from wiki.models.changes import (
    WikiChange,
    WikiComment,
    WikiRefusal,
    WikiReview,
    WikiReviewer,
    WikiWatch,
)
from wiki.models.issues import WikiIssue, WikiLint
from wiki.models.mirror import WikiMirror
from wiki.models.notices import WikiNotice
from wiki.models.pages import (
    WikiDraft,
    WikiFolder,
    WikiLink,
    WikiPage,
    WikiRedirect,
    WikiRevision,
    WikiSentence,
)
from wiki.models.settings import WikiSettings

__all__ = [
    "WikiBuild",
    "WikiChange",
    "WikiComment",
    "WikiDraft",
    "WikiFolder",
    "WikiIssue",
    "WikiLink",
    "WikiLint",
    "WikiMirror",
    "WikiNotice",
    "WikiOperation",
    "WikiPage",
    "WikiReading",
    "WikiRedirect",
    "WikiRefusal",
    "WikiReview",
    "WikiReviewer",
    "WikiRevision",
    "WikiSentence",
    "WikiSettings",
    "WikiWatch",
]
