from django.apps import AppConfig


class WeknoraSiteConfig(AppConfig):
    name = "weknora_site"
