"""The map of this app's pages."""

from django.urls import URLPattern, URLResolver, path

from knowledge.views import (
    about,
    access,
    activity,
    bases,
    batches,
    carry,
    chunking,
    chunks,
    corrections,
    documents,
    evaluations,
    faq,
    faq_files,
    graph,
    health,
    organising,
    pages,
    pictures,
    quality,
    reembedding,
    searching,
    sharing,
    sources,
    timeline,
    why_not,
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("knowledge/", bases.bases, name="bases"),
    path("knowledge/new/", bases.base_new, name="base_new"),
    path("knowledge/<uuid:base_id>/", bases.base, name="base"),
    path("knowledge/<uuid:base_id>/settings/", bases.base_settings, name="base_settings"),
    path("knowledge/<uuid:base_id>/delete/", bases.base_delete, name="base_delete"),
    path("knowledge/<uuid:base_id>/search/", searching.base_search, name="base_search"),
    path(
        "knowledge/<uuid:base_id>/search/default/",
        searching.base_search_default,
        name="base_search_default",
    ),
    path("knowledge/<uuid:base_id>/searches/", why_not.base_searches, name="base_searches"),
    path("knowledge/<uuid:base_id>/why-not/", why_not.base_why_not, name="base_why_not"),
    path(
        "knowledge/<uuid:base_id>/searches/<uuid:search_id>/",
        why_not.search_record,
        name="search_record",
    ),
    path("knowledge/<uuid:base_id>/sharing/", sharing.base_sharing, name="base_sharing"),
    path(
        "knowledge/<uuid:base_id>/sharing/<int:share_id>/end/",
        sharing.base_sharing_end,
        name="base_sharing_end",
    ),
    path(
        "knowledge/<uuid:base_id>/corrections/",
        corrections.base_corrections,
        name="base_corrections",
    ),
    path("knowledge/<uuid:base_id>/activity/", activity.base_activity, name="base_activity"),
    path("knowledge/<uuid:base_id>/access/", access.base_access, name="base_access"),
    path("knowledge/<uuid:base_id>/passages/", chunking.base_chunking, name="base_chunking"),
    path(
        "knowledge/<uuid:base_id>/passages/read/",
        chunking.base_chunking_read,
        name="base_chunking_read",
    ),
    path("knowledge/<uuid:base_id>/graph/", graph.base_graph, name="base_graph"),
    path(
        "knowledge/<uuid:base_id>/graph/entities/<uuid:entity_id>/",
        graph.base_graph_entity,
        name="base_graph_entity",
    ),
    path("knowledge/<uuid:base_id>/graph/read/", graph.base_graph_read, name="base_graph_read"),
    path(
        "knowledge/<uuid:base_id>/graph/preview/",
        graph.base_graph_preview,
        name="base_graph_preview",
    ),
    path("knowledge/<uuid:base_id>/embedding/", reembedding.base_embedding, name="base_embedding"),
    path(
        "knowledge/<uuid:base_id>/embedding/compare/",
        reembedding.base_embedding_compare,
        name="base_embedding_compare",
    ),
    path("knowledge/<uuid:base_id>/health/", health.base_health, name="base_health"),
    path("knowledge/<uuid:base_id>/upload/", documents.base_upload, name="base_upload"),
    path("knowledge/<uuid:base_id>/batches/", batches.base_batches, name="base_batches"),
    path(
        "knowledge/<uuid:base_id>/batches/estimate/",
        batches.base_batch_estimate,
        name="base_batch_estimate",
    ),
    path("knowledge/<uuid:base_id>/batches/<uuid:batch_id>/", batches.batch, name="batch"),
    path(
        "knowledge/<uuid:base_id>/batches/<uuid:batch_id>/uploads/",
        batches.batch_uploads,
        name="batch_uploads",
    ),
    path("knowledge/<uuid:base_id>/folders/", organising.base_folders, name="base_folders"),
    path("knowledge/<uuid:base_id>/tags/", organising.base_tags, name="base_tags"),
    path("knowledge/<uuid:base_id>/carry/", carry.base_carry, name="base_carry"),
    path("knowledge/<uuid:base_id>/copy/", carry.base_copy, name="base_copy"),
    path("knowledge/<uuid:base_id>/bulk/", organising.base_bulk, name="base_bulk"),
    path("knowledge/<uuid:base_id>/trash/", organising.base_trash, name="base_trash"),
    path("knowledge/<uuid:base_id>/mark/", organising.base_mark, name="base_mark"),
    path("knowledge/<uuid:base_id>/add/address/", sources.base_address, name="base_address"),
    path("knowledge/<uuid:base_id>/add/text/", sources.base_text, name="base_text"),
    path("knowledge/<uuid:base_id>/quality/", quality.base_quality, name="base_quality"),
    path("knowledge/<uuid:base_id>/quality/new/", quality.golden_new, name="golden_new"),
    path("knowledge/<uuid:base_id>/quality/import/", quality.golden_import, name="golden_import"),
    path("knowledge/<uuid:base_id>/quality/export/", quality.golden_export, name="golden_export"),
    path("knowledge/<uuid:base_id>/quality/draft/", quality.golden_draft, name="golden_draft"),
    path(
        "knowledge/<uuid:base_id>/quality/runs/",
        evaluations.base_evaluations,
        name="base_evaluations",
    ),
    path(
        "knowledge/<uuid:base_id>/quality/questions/<uuid:golden_id>/",
        quality.golden,
        name="golden",
    ),
    path(
        "knowledge/<uuid:base_id>/quality/runs/<uuid:evaluation_id>/",
        evaluations.evaluation,
        name="evaluation",
    ),
    path(
        "knowledge/<uuid:base_id>/quality/runs/<uuid:before_id>/compare/<uuid:after_id>/",
        evaluations.evaluation_compare,
        name="evaluation_compare",
    ),
    path("knowledge/<uuid:faq_id>/faq/", faq.faq, name="faq"),
    path("knowledge/<uuid:faq_id>/faq/new/", faq.faq_new, name="faq_new"),
    path("knowledge/<uuid:faq_id>/faq/hints/", faq.faq_hints, name="faq_hints"),
    path("knowledge/<uuid:faq_id>/faq/bulk/", faq.faq_bulk, name="faq_bulk"),
    path("knowledge/<uuid:faq_id>/faq/restore/", faq.faq_restore, name="faq_restore"),
    path("knowledge/<uuid:faq_id>/faq/search/", faq.faq_search, name="faq_search"),
    path("knowledge/<uuid:faq_id>/faq/import/", faq_files.faq_import, name="faq_import"),
    path("knowledge/<uuid:faq_id>/faq/export/", faq_files.faq_export, name="faq_export"),
    path("faq/entries/<uuid:entry_id>/", faq.faq_entry, name="faq_entry"),
    path("faq/entries/<uuid:entry_id>/switch/", faq.faq_switch, name="faq_switch"),
    path("faq/imports/<uuid:import_id>/", faq_files.faq_import_one, name="faq_import_one"),
    path(
        "faq/imports/<uuid:import_id>/problems/",
        faq_files.faq_import_problems,
        name="faq_import_problems",
    ),
    path("knowledge/preview/", sources.text_preview, name="text_preview"),
    path("documents/<uuid:document_id>/", documents.document, name="document"),
    path("documents/<uuid:document_id>/chunks/", chunks.document_chunks, name="document_chunks"),
    path(
        "documents/<uuid:document_id>/chunks/<uuid:chunk_id>/edit/",
        chunks.chunk_edit,
        name="chunk_edit",
    ),
    path(
        "documents/<uuid:document_id>/chunks/<uuid:chunk_id>/switch/",
        chunks.chunk_switch,
        name="chunk_switch",
    ),
    path(
        "documents/<uuid:document_id>/chunks/<uuid:chunk_id>/history/",
        chunks.chunk_history,
        name="chunk_history",
    ),
    path(
        "documents/<uuid:document_id>/chunks/<uuid:chunk_id>/questions/",
        chunks.chunk_questions,
        name="chunk_questions",
    ),
    path(
        "documents/<uuid:document_id>/corrections/",
        corrections.document_corrections,
        name="document_corrections",
    ),
    path(
        "documents/<uuid:document_id>/pages/<int:number>.webp",
        pages.document_page,
        name="document_page",
    ),
    path("documents/<uuid:document_id>/details/", about.document_details, name="document_details"),
    path(
        "documents/<uuid:document_id>/timeline/",
        timeline.document_timeline,
        name="document_timeline",
    ),
    path(
        "documents/<uuid:document_id>/enrichment/stop/",
        timeline.document_enrichment_stop,
        name="document_enrichment_stop",
    ),
    path(
        "documents/<uuid:document_id>/versions/", about.document_versions, name="document_versions"
    ),
    path(
        "documents/<uuid:document_id>/versions/<int:old>/<int:new>/",
        about.document_diff,
        name="document_diff",
    ),
    path(
        "documents/<uuid:document_id>/versions/<int:number>/file/",
        about.document_version_file,
        name="document_version_file",
    ),
    path(
        "documents/<uuid:document_id>/settings/", about.document_settings, name="document_settings"
    ),
    path(
        "documents/<uuid:document_id>/passages/",
        chunking.document_chunking,
        name="document_chunking",
    ),
    path(
        "documents/<uuid:document_id>/password/", about.document_password, name="document_password"
    ),
    path(
        "documents/<uuid:document_id>/activity/", about.document_activity, name="document_activity"
    ),
    path(
        "documents/<uuid:document_id>/pictures/",
        pictures.document_pictures,
        name="document_pictures",
    ),
    path("pictures/<uuid:picture_id>/", pictures.picture, name="picture"),
    path(
        "pictures/<uuid:picture_id>/describe/", pictures.picture_describe, name="picture_describe"
    ),
    path(
        "documents/<uuid:document_id>/engines/",
        health.document_engine_try,
        name="document_engine_try",
    ),
    path(
        "documents/<uuid:document_id>/engines/<slug:engine>/",
        health.document_engine,
        name="document_engine",
    ),
    path("documents/<uuid:document_id>/text/", sources.document_text, name="document_text"),
    path(
        "documents/<uuid:document_id>/publish/", sources.document_publish, name="document_publish"
    ),
    path("documents/<uuid:document_id>/fetch/", sources.document_fetch, name="document_fetch"),
    path("documents/<uuid:document_id>/access/", access.document_access, name="document_access"),
    path("documents/<uuid:document_id>/file/", documents.document_file, name="document_file"),
    path("documents/<uuid:document_id>/retry/", documents.document_retry, name="document_retry"),
    path("documents/<uuid:document_id>/cancel/", documents.document_cancel, name="document_cancel"),
    path("documents/<uuid:document_id>/delete/", documents.document_delete, name="document_delete"),
]
