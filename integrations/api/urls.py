"""The map of the API: the reference's addresses. Each needs its line in `route_policies`."""

from django.urls import URLPattern, path, re_path

from integrations.api.views import (
    agents,
    bases,
    chat,
    description,
    documents,
    identity,
    nowhere,
    search,
    sessions,
)

app_name = "api"
urlpatterns: list[URLPattern] = [
    path("schema", description.Description.as_view(), name="schema"),
    path("auth/me", identity.AuthMe.as_view(), name="auth_me"),
    path("knowledge-bases", bases.KnowledgeBases.as_view(), name="knowledge_bases"),
    path("knowledge-bases/<uuid:base_id>", bases.OneKnowledgeBase.as_view(), name="knowledge_base"),
    path(
        "knowledge-bases/<uuid:base_id>/knowledge",
        documents.BaseKnowledge.as_view(),
        name="base_knowledge",
    ),
    path(
        "knowledge-bases/<uuid:base_id>/knowledge/file",
        documents.BaseKnowledgeFile.as_view(),
        name="base_knowledge_file",
    ),
    path("knowledge/<uuid:document_id>", documents.OneKnowledge.as_view(), name="knowledge"),
    path("chunks/<uuid:document_id>", documents.Chunks.as_view(), name="chunks"),
    path("knowledge-search", search.KnowledgeSearch.as_view(), name="knowledge_search"),
    path("agents", agents.Agents.as_view(), name="agents"),
    path("agents/<str:agent_id>", agents.OneAgent.as_view(), name="agent"),
    path("sessions", sessions.Sessions.as_view(), name="sessions"),
    path(
        "sessions/continue-stream/<uuid:session_id>",
        chat.ContinueStream.as_view(),
        name="continue_stream",
    ),
    path("sessions/<uuid:session_id>", sessions.OneSession.as_view(), name="session"),
    path("sessions/<uuid:session_id>/stop", chat.SessionStop.as_view(), name="session_stop"),
    path("agent-chat/<uuid:session_id>", chat.AgentChat.as_view(), name="agent_chat"),
    path("knowledge-chat/<uuid:session_id>", chat.KnowledgeChat.as_view(), name="knowledge_chat"),
    re_path(r"^(?P<rest>.*)$", nowhere.nowhere, name="nowhere"),
]
