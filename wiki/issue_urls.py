"""Addresses of the issues of a wiki."""

from django.urls import URLPattern, path

from wiki.views import issues

urlpatterns: list[URLPattern] = [
    path("<uuid:base_id>/issues/", issues.wiki_issues, name="wiki_issues"),
    path("<uuid:base_id>/issues/check/", issues.wiki_lint, name="wiki_lint"),
    path("<uuid:base_id>/issues/<uuid:issue_id>/", issues.wiki_issue_act, name="wiki_issue_act"),
    path("<uuid:base_id>/pages/<uuid:page_id>/flag/", issues.wiki_flag, name="wiki_flag"),
]
