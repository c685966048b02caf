"""Bases can be shared: the kind, and the arguments by which guests come to one."""

from __future__ import annotations

from django.db.models import Q

from accounts.shares import Argument, ShareKind, register_argument, register_kind
from knowledge.models import BaseShare, KnowledgeBase

BASE = ShareKind(
    name="base",
    row_model=KnowledgeBase,
    share_model=BaseShare,
    row_field="base",
    url_name="base",
    alive=Q(base__deleted_at__isnull=True),
)

register_kind(BASE)
register_argument(Argument(name="base_id", kind="base", lookup="base"))
register_argument(Argument(name="document_id", kind="base", lookup="base__documents", along=True))
register_argument(
    Argument(name="chunk_id", kind="base", lookup="base__documents__chunks", along=True)
)
register_argument(
    Argument(name="picture_id", kind="base", lookup="base__documents__pictures", along=True)
)
