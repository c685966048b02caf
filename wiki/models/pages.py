"""Pages, where they stand, their revisions, links and sources."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.tenancy import SpaceOwned
from knowledge.models import Document, KnowledgeBase
from wiki.constants import MAX_SLUG, MAX_TITLE, AuthorKind, PageKind, PageStatus, ReviewMode


class WikiFolder(SpaceOwned):
    """A folder of pages; at most `MAX_FOLDER_DEPTH` deep."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="wiki_folders")
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.RESTRICT, related_name="folders"
    )
    name = models.CharField(_("name"), max_length=200)
    path = models.CharField(max_length=620)
    """Names from the root down, joined by "/": kept in step with `parent`."""
    depth = models.PositiveSmallIntegerField(default=1)
    sort_order = models.IntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["sort_order", "name"]
        verbose_name = _("folder of a wiki")
        verbose_name_plural = _("folders of wikis")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["base", "path"], name="one_wiki_folder_per_path")
        ]

    def __str__(self) -> str:
        return self.path


class WikiPage(SpaceOwned):
    """A page as readers see it: a copy of its newest revision."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="wiki_pages")
    slug = models.CharField(max_length=MAX_SLUG)
    title = models.CharField(_("title"), max_length=MAX_TITLE)
    kind = models.CharField(max_length=12, choices=PageKind.choices, default=PageKind.CONCEPT)
    status = models.CharField(
        max_length=10, choices=PageStatus.choices, default=PageStatus.PUBLISHED
    )
    summary = models.TextField(blank=True)
    """One line."""
    content = models.TextField(blank=True)
    """Markdown."""
    aliases = models.JSONField(default=list, blank=True)
    folder = models.ForeignKey(
        WikiFolder, null=True, blank=True, on_delete=models.RESTRICT, related_name="pages"
    )
    sort_order = models.IntegerField(default=0)
    version = models.PositiveIntegerField(default=0)
    """Number of the newest revision: what an edit compares and swaps."""
    review = models.CharField(max_length=10, choices=ReviewMode.choices, blank=True)
    """Whose edits wait for a person; blank: as the base says."""
    last_author_kind = models.CharField(max_length=10, choices=AuthorKind.choices, blank=True)
    last_author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    summarises = models.ForeignKey(
        Document, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """The document that a summary page is of."""
    document = models.OneToOneField(
        Document, null=True, blank=True, on_delete=models.SET_NULL, related_name="wiki_page"
    )
    """Under which the page's text is searched."""
    trashed_at = models.DateTimeField(null=True, blank=True)
    """Since when it is deleted; its revisions stay and it can be brought back."""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["sort_order", "title"]
        verbose_name = _("wiki page")
        verbose_name_plural = _("wiki pages")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["base", "slug"],
                condition=models.Q(trashed_at__isnull=True),
                name="one_wiki_page_per_slug",
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["base", "kind", "title"], name="wiki_page_by_kind"),
            models.Index(fields=["base", "-updated_at"], name="wiki_page_newest"),
        ]

    def __str__(self) -> str:
        return self.title


class WikiRevision(SpaceOwned):
    """What a page said from one edit to the next; written only by `wiki.pages.writing`."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    page = models.ForeignKey(WikiPage, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    """From 1, without gaps."""
    slug = models.CharField(max_length=MAX_SLUG)
    title = models.CharField(max_length=MAX_TITLE)
    kind = models.CharField(max_length=12, choices=PageKind.choices)
    status = models.CharField(max_length=10, choices=PageStatus.choices)
    summary = models.TextField(blank=True)
    content = models.TextField(blank=True)
    aliases = models.JSONField(default=list, blank=True)
    content_hash = models.CharField(max_length=64)
    """SHA-256 of the content; stays when the text is thinned out."""
    characters_added = models.PositiveIntegerField(default=0)
    characters_removed = models.PositiveIntegerField(default=0)
    author_kind = models.CharField(max_length=10, choices=AuthorKind.choices)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """Who wrote it, approved it or asked the agent for it."""
    agent_id = models.UUIDField(null=True, blank=True)
    run_id = models.UUIDField(null=True, blank=True)
    """Of the agent's run, an opaque value."""
    reason = models.CharField(max_length=500, blank=True)
    change = models.ForeignKey(
        "wiki.WikiChange", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    restored_from = models.PositiveIntegerField(null=True, blank=True)
    """Number of the revision that a roll-back brought back."""
    written_at = models.DateTimeField(null=True, blank=True)
    """When an imported text was written at its origin."""
    thinned_at = models.DateTimeField(null=True, blank=True)
    """Since when the text is gone by the policy of the base; the row and its hash stay."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["page", "-number"]
        verbose_name = _("revision of a wiki page")
        verbose_name_plural = _("revisions of wiki pages")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["page", "number"], name="one_wiki_revision_per_number")
        ]

    def __str__(self) -> str:
        return f"{self.slug} {self.number}"


class WikiRedirect(SpaceOwned):
    """An address that a page had before."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    slug = models.CharField(max_length=MAX_SLUG)
    page = models.ForeignKey(WikiPage, on_delete=models.CASCADE, related_name="redirects")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("old address of a wiki page")
        verbose_name_plural = _("old addresses of wiki pages")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["base", "slug"], name="one_wiki_redirect_per_slug")
        ]

    def __str__(self) -> str:
        return self.slug


class WikiLink(SpaceOwned):
    """A link of a page's text; `target` None: there is no such page (yet)."""

    source = models.ForeignKey(WikiPage, on_delete=models.CASCADE, related_name="out_links")
    slug = models.CharField(max_length=MAX_SLUG)
    """As the text writes it."""
    target = models.ForeignKey(
        WikiPage, null=True, blank=True, on_delete=models.SET_NULL, related_name="in_links"
    )

    class Meta:
        verbose_name = _("link of a wiki page")
        verbose_name_plural = _("links of wiki pages")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source", "slug"], name="one_wiki_link_per_slug")
        ]
        indexes: ClassVar = [models.Index(fields=["space", "slug"], name="wiki_link_slug")]

    def __str__(self) -> str:
        return f"[[{self.slug}]]"


class WikiSentence(SpaceOwned):
    """What a sentence of a page rests on, whichever revisions say it.

    The passages are rows of `knowledge.EvidenceRow` whose `origin_id` is the page's id; a marker is
    given once per page and passage text and never used anew.
    """

    page = models.ForeignKey(WikiPage, on_delete=models.CASCADE, related_name="sentences")
    text_hash = models.CharField(max_length=64)
    """SHA-256 of the sentence in its normal form: see `wiki.text.sentences`."""
    markers = models.JSONField(default=list)
    """Numbers of evidence rows, ascending."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("sourced sentence of a wiki page")
        verbose_name_plural = _("sourced sentences of wiki pages")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["page", "text_hash"], name="one_wiki_sentence_per_text")
        ]

    def __str__(self) -> str:
        return self.text_hash


class WikiDraft(SpaceOwned):
    """What a person is writing and has not handed in; saved as they type."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    page = models.ForeignKey(
        WikiPage, null=True, blank=True, on_delete=models.CASCADE, related_name="drafts"
    )
    """None: of a page that does not exist yet."""
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    on_version = models.PositiveIntegerField(default=0)
    """The page's version that the person began from."""
    fields = models.JSONField(default=dict)
    """What stands in the form: slug, title, kind, summary, content, aliases, folder, reason."""
    seen_at = models.DateTimeField(auto_now=True)
    """When the editor last spoke: who spoke in the last minute is editing now."""

    class Meta:
        verbose_name = _("draft of a wiki page")
        verbose_name_plural = _("drafts of wiki pages")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["page", "author"],
                condition=models.Q(page__isnull=False),
                name="one_wiki_draft_per_person",
            )
        ]

    def __str__(self) -> str:
        return f"draft of {self.page_id}"
