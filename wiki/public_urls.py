"""Addresses of published wikis, for everybody."""

from django.urls import URLPattern, path

from wiki.views import inbox, public

urlpatterns: list[URLPattern] = [
    path("-/mails/<str:token>/", inbox.wiki_mails_stop, name="wiki_mails_stop"),
    path("<slug:public_name>/", public.public_wiki, name="public_wiki"),
    path(
        "<slug:public_name>/-/pictures/<slug:content_hash>",
        public.public_wiki_picture,
        name="public_wiki_picture",
    ),
    path("<slug:public_name>/<path:slug>", public.public_wiki_page, name="public_wiki_page"),
]
