"""The Celery application; the broker only wakes workers, all state is rows."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "weknora_site.settings")
app = Celery("weknora")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# The default of every thread, not only of the one that imports this.
app.set_default()
