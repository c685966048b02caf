"""The map of the pages of keys."""

from django.urls import URLPattern, path

from accounts.views import keys, platform_keys

key_urls: list[URLPattern] = [
    path("keys/", keys.list_keys_page, name="keys"),
    path("keys/<uuid:key_id>/rotate/", keys.rotate, name="key_rotate"),
    path("keys/<uuid:key_id>/revoke/", keys.revoke, name="key_revoke"),
    path("keys/<uuid:key_id>/test/", keys.test_credential, name="key_test"),
    path("platform/keys/", platform_keys.list_keys_page, name="platform_keys"),
    path("platform/keys/<uuid:key_id>/rotate/", platform_keys.rotate, name="platform_key_rotate"),
    path("platform/keys/<uuid:key_id>/revoke/", platform_keys.revoke, name="platform_key_revoke"),
]
