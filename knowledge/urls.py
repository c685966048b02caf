"""The map of this app's pages."""

from django.urls import URLPattern, URLResolver, path

from knowledge.views import bases, documents

urlpatterns: list[URLPattern | URLResolver] = [
    path("knowledge/", bases.bases, name="bases"),
    path("knowledge/new/", bases.base_new, name="base_new"),
    path("knowledge/<uuid:base_id>/", bases.base, name="base"),
    path("knowledge/<uuid:base_id>/settings/", bases.base_settings, name="base_settings"),
    path("knowledge/<uuid:base_id>/delete/", bases.base_delete, name="base_delete"),
    path("knowledge/<uuid:base_id>/search/", bases.base_search, name="base_search"),
    path("knowledge/<uuid:base_id>/upload/", documents.base_upload, name="base_upload"),
    path("documents/<uuid:document_id>/", documents.document, name="document"),
    path("documents/<uuid:document_id>/file/", documents.document_file, name="document_file"),
    path("documents/<uuid:document_id>/retry/", documents.document_retry, name="document_retry"),
    path("documents/<uuid:document_id>/cancel/", documents.document_cancel, name="document_cancel"),
    path("documents/<uuid:document_id>/delete/", documents.document_delete, name="document_delete"),
]
