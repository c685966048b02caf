"""Addresses of the wiki for people."""

from django.urls import URLPattern, URLResolver, include, path

from wiki.views import edit, folders, graph, history, mirror, pages, settings, transfer

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("wiki.issue_urls")),
    path("", include("wiki.change_urls")),
    path("", include("wiki.build_urls")),
    path("", pages.wikis, name="wikis"),
    path("<uuid:base_id>/", pages.wiki_index, name="wiki_index"),
    path("<uuid:base_id>/switch/", pages.wiki_switch, name="wiki_switch"),
    path("<uuid:base_id>/watch/", pages.wiki_watch, name="wiki_watch"),
    path("<uuid:base_id>/p/<path:slug>", pages.wiki_page, name="wiki_page"),
    path("<uuid:base_id>/trash/", pages.wiki_trash, name="wiki_trash"),
    path("<uuid:base_id>/folders/", folders.wiki_folders, name="wiki_folders"),
    path("<uuid:base_id>/folders/<uuid:folder_id>/", folders.wiki_folder, name="wiki_folder"),
    path("<uuid:base_id>/new/", edit.wiki_new, name="wiki_new"),
    path("<uuid:base_id>/draft/", edit.wiki_draft, name="wiki_draft"),
    path("<uuid:base_id>/preview/", edit.wiki_preview, name="wiki_preview"),
    path("<uuid:base_id>/complete/", edit.wiki_complete, name="wiki_complete"),
    path("<uuid:base_id>/pictures/", edit.wiki_pictures, name="wiki_pictures"),
    path("<uuid:base_id>/pictures/<slug:content_hash>", edit.wiki_picture, name="wiki_picture"),
    path("<uuid:base_id>/graph/", graph.wiki_graph, name="wiki_graph"),
    path("<uuid:base_id>/graph/card/", graph.wiki_graph_card, name="wiki_graph_card"),
    path("<uuid:base_id>/settings/", settings.wiki_settings, name="wiki_settings"),
    path("<uuid:base_id>/publish/", settings.wiki_publish, name="wiki_publish"),
    path("<uuid:base_id>/mirror/", mirror.wiki_mirror, name="wiki_mirror"),
    path("<uuid:base_id>/export/", transfer.wiki_export, name="wiki_export"),
    path("<uuid:base_id>/import/", transfer.wiki_import, name="wiki_import"),
    path(
        "<uuid:base_id>/pages/<uuid:page_id>/export/",
        transfer.wiki_page_export,
        name="wiki_page_export",
    ),
    path("<uuid:base_id>/pages/<uuid:page_id>/", pages.wiki_page_by_id, name="wiki_page_by_id"),
    path("<uuid:base_id>/pages/<uuid:page_id>/act/", pages.wiki_page_act, name="wiki_page_act"),
    path("<uuid:base_id>/pages/<uuid:page_id>/edit/", edit.wiki_edit, name="wiki_edit"),
    path("<uuid:base_id>/pages/<uuid:page_id>/history/", history.wiki_history, name="wiki_history"),
    path("<uuid:base_id>/pages/<uuid:page_id>/compare/", history.wiki_compare, name="wiki_compare"),
    path("<uuid:base_id>/pages/<uuid:page_id>/blame/", history.wiki_blame, name="wiki_blame"),
    path(
        "<uuid:base_id>/pages/<uuid:page_id>/revisions/<int:number>/",
        history.wiki_revision,
        name="wiki_revision",
    ),
    path(
        "<uuid:base_id>/pages/<uuid:page_id>/revisions/<int:number>/restore/",
        history.wiki_restore,
        name="wiki_restore",
    ),
]
