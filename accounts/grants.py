"""Abstract tables by which apps give access to single rows. Only `accounts` imports guardian.

The concrete tables stand beside the rows they are about: a direct foreign key, so that a list is
filtered by one join, whatever the number of grants.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, ClassVar

from django.contrib.auth.models import Group, Permission
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.signals import post_migrate
from django.dispatch import receiver
from guardian.models import GroupObjectPermissionBase, UserObjectPermissionBase

from accounts.constants import SharePermission
from accounts.models import Organisation, Space, User
from core.tenancy import SpaceOwned


class UserGrant(UserObjectPermissionBase):
    """A permission of one person on one row; a subclass adds `content_object`, a foreign key."""

    class Meta(UserObjectPermissionBase.Meta):
        abstract = True


class GroupGrant(GroupObjectPermissionBase):
    """A permission of a group on one row; a subclass adds `content_object`, a foreign key."""

    class Meta(GroupObjectPermissionBase.Meta):
        abstract = True


class Share(SpaceOwned):
    """That a row is open to an organisation; a subclass adds the foreign key to the row.

    Its space is the one that shares. What a receiver may do is the least of this permission, its
    space's role in the organisation, and the person's own role there.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="+")
    permission = models.CharField(
        max_length=12, choices=SharePermission.choices, default=SharePermission.VIEWER
    )
    only_receivers = models.BooleanField(default=False)
    """Whether only `receivers` get it. A flag of its own: when the last receiver is deleted, an empty
    list must not come to mean everybody."""
    receivers = models.ManyToManyField(Space, blank=True, related_name="+")
    """With the flag: the spaces of the organisation that get it."""
    shared_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        ordering: ClassVar = ["-created_at"]


def granted_to(
    user_id: int,
    *,
    permission: str,
    user_grants: type[UserGrant],
    group_grants: type[GroupGrant],
    path: str = "pk",
) -> Q:
    """Return the condition that the row at `path` is granted to the person or one of their groups.

    Two subqueries by the row's key: what they cost does not depend on how many grants there are.
    """
    theirs = {
        "content_object": OuterRef(path),
        "permission_id": permission_id(_model_of(user_grants), permission),
    }
    groups = User.groups.through._default_manager.filter(user_id=user_id).values("group_id")
    by_name = user_grants._default_manager.filter(user_id=user_id, **theirs)
    by_group = group_grants._default_manager.filter(group_id__in=groups, **theirs)
    return Q(Exists(by_name)) | Q(Exists(by_group))


@lru_cache(maxsize=64)
def permission_id(model: type[models.Model], codename: str) -> int:
    """Return the id of a permission; it never changes, and a join less is planned for each check."""
    return Permission.objects.get(
        content_type__app_label=model._meta.app_label,
        content_type__model=model._meta.model_name,
        codename=codename,
    ).pk


@receiver(post_migrate)
def _forget_permission_ids(**_: Any) -> None:
    """Permissions are made anew by a migration or a flush."""
    permission_id.cache_clear()


def _model_of(grants: type[models.Model]) -> type[models.Model]:
    model = grants._meta.get_field("content_object").related_model
    assert isinstance(model, type)
    return model


def grant_exactly(
    row: models.Model,
    *,
    permission: str,
    users: Iterable[User],
    groups: Iterable[Group],
    user_grants: type[UserGrant],
    group_grants: type[GroupGrant],
) -> None:
    """Give `permission` on the row to these people and groups, and to nobody else."""
    what = permission_id(type(row), permission)
    _replace(user_grants, row, what, "user_id", {each.pk for each in users})
    _replace(group_grants, row, what, "group_id", {each.pk for each in groups})


def _replace(
    grants: type[UserGrant] | type[GroupGrant],
    row: models.Model,
    held_permission: int,
    field: str,
    wanted: set[Any],
) -> None:
    held = grants._default_manager.filter(content_object=row, permission_id=held_permission)
    known = set(held.values_list(field, flat=True))
    held.filter(**{f"{field}__in": known - wanted}).delete()
    grants._default_manager.bulk_create(
        [
            grants(**{"content_object": row, "permission_id": held_permission, field: each})
            for each in sorted(wanted - known)
        ],
        ignore_conflicts=True,
    )
