"""The map of this app's pages."""

from django.urls import URLPattern, URLResolver, path

from agents import views

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.chat_new, name="chat_new"),
    path("conversations/", views.conversations, name="conversations"),
    path("conversations/<uuid:conversation_id>/", views.conversation, name="conversation"),
    path(
        "conversations/<uuid:conversation_id>/rename/",
        views.conversation_rename,
        name="conversation_rename",
    ),
    path(
        "conversations/<uuid:conversation_id>/delete/",
        views.conversation_delete,
        name="conversation_delete",
    ),
]
