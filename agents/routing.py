"""The map of this app's sockets."""

from django.urls import URLPattern, path

from agents.consumers import ConversationConsumer

websocket_urlpatterns: list[URLPattern] = [
    path(
        "ws/conversations/<uuid:conversation_id>/",
        ConversationConsumer.as_asgi(),
        name="conversation_socket",
    ),
]
