"""Addresses of change requests and the inbox, below those of the wiki."""

from django.urls import URLPattern, URLResolver, path

from wiki.views import changes, inbox, merging

urlpatterns: list[URLPattern | URLResolver] = [
    path("inbox/", inbox.wiki_inbox, name="wiki_inbox"),
    path("inbox/count/", inbox.wiki_inbox_count, name="wiki_inbox_count"),
    path("<uuid:base_id>/changes/", changes.wiki_changes, name="wiki_changes"),
    path("<uuid:base_id>/changes/batch/", changes.wiki_changes_batch, name="wiki_changes_batch"),
    path("<uuid:base_id>/changes/<int:number>/", changes.wiki_change, name="wiki_change"),
    path(
        "<uuid:base_id>/changes/<int:number>/act/", changes.wiki_change_act, name="wiki_change_act"
    ),
    path(
        "<uuid:base_id>/changes/<int:number>/comment/",
        changes.wiki_change_comment,
        name="wiki_change_comment",
    ),
    path(
        "<uuid:base_id>/changes/<int:number>/reviewers/",
        changes.wiki_change_reviewers,
        name="wiki_change_reviewers",
    ),
    path(
        "<uuid:base_id>/changes/<int:number>/edit/",
        changes.wiki_change_edit,
        name="wiki_change_edit",
    ),
    path(
        "<uuid:base_id>/changes/<int:number>/merge/",
        merging.wiki_change_merge,
        name="wiki_change_merge",
    ),
]
