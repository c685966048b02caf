"""The map of this app's sockets."""

from django.urls import URLPattern

websocket_urlpatterns: list[URLPattern] = []
