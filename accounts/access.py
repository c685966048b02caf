"""The only place that answers: may this actor do this to that, and which rows may they?

An app registers one `Policy` a model in its `policies.py` (imported in `AppConfig.ready`). A policy
turns (actor, action) into clauses; the same clauses answer a single check (`require`), a list
(`visible`) and the question why (`explain`), so that the three cannot drift apart. Deny wins over
allow. What may not be seen does not exist (404); what may be seen but not changed is forbidden (403).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeVar
from uuid import UUID

from django.db import models
from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy, pgettext

from accounts.constants import RANK, Role, SharePermission
from accounts.linked import prefixed
from core.errors import AccessDenied, NotFound

Action = Literal["view", "create", "edit", "change", "delete", "share", "manage", "use"]
"""To `edit` is to change what something holds, to `change` the thing itself and its settings."""
ActorKind = Literal["user", "api_key", "external", "embed", "im_user", "system"]
"""`external`: a person of an application that uses a key, named by a token it signed."""
M = TypeVar("M", bound=models.Model)


@dataclass(frozen=True, kw_only=True)
class Shared:
    """One row of another space that is open to a guest."""

    kind: str
    """`base` or `agent`."""
    object_id: UUID
    permission: SharePermission
    """What remains after the share, the organisation's role and the person's own role."""


@dataclass(frozen=True, kw_only=True)
class Actor:
    """Who is asking, in which space; made once at each door by `accounts.actors`."""

    kind: ActorKind
    id: str
    """Unique within the kind: the user's or key's primary key, the visitor's id."""
    space_id: int
    user_id: int | None = None
    role: Role | None = None
    """The person's role in the space; None for those who are not members."""
    scopes: frozenset[str] | None = None
    """What a key is limited to, as "area.action"; None: not limited beyond the role."""
    base_ids: frozenset[UUID] | None = None
    """The only bases that a key may touch; None: all that the role may."""
    home_space_id: int | None = None
    """Of a guest: the space of which the person is a member. `space_id` is the one that shares."""
    shared: frozenset[Shared] = frozenset()
    """Of a guest: the rows that are open to them here; a guest has no role."""
    through: frozenset[UUID] | None = frozenset()
    """Rows of other spaces in whose name they read, such as the agent that they ask: what those open
    along is open, too. None: whatever any shared row opens along, to read again what is stored."""
    name: str = field(default="", compare=False)
    """What the audit calls it where no person is asked for a name: keys and who comes by them."""

    @property
    def rank(self) -> int:
        """The role as a number; 0 without one."""
        return RANK[self.role] if self.role else 0

    @property
    def principal(self) -> str:
        """Whose something is, where it is no person's: a key's or an external person's."""
        return f"{self.kind}:{self.id}"

    @property
    def is_machine(self) -> bool:
        """Whether a key stands behind it, and no member of the space."""
        return self.kind in ("api_key", "external")

    @property
    def is_guest(self) -> bool:
        """Whether they come from another space, by a share."""
        return self.home_space_id is not None


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One reason to allow or deny, for the rows that `where` selects."""

    effect: Literal["allow", "deny"]
    reason: str
    """A sentence for an administrator: "Admins may change every base."."""
    where: Q = field(default_factory=Q)
    """Which rows; an empty Q means all rows of the actor's space."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The answer to "why can she see this?"."""

    allowed: bool
    reasons: tuple[str, ...]


class Policy(ABC):
    """The access rule of one model."""

    area: ClassVar[str]
    """First half of a key's scope, e.g. "bases" in "bases.view"."""

    below: ClassVar[Action] = "change"
    """What one must be allowed to do with a row to create something below it."""

    @abstractmethod
    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """Return every reason that may allow or deny `action`; none means no."""

    def space_lookup(self) -> str:
        """Name the field that holds the row's space id."""
        return "space_id"


class RolePolicy(Policy):
    """A role suffices; below it, the one who made the row may do `owner_actions`."""

    minimum: ClassVar[Mapping[Action, Role]]
    owner_field: ClassVar[str | None] = None
    owner_actions: ClassVar[frozenset[Action]] = frozenset()
    owner_minimum: ClassVar[Role] = Role.CONTRIBUTOR
    """A creator who was made a mere viewer keeps what they made but may no longer change it."""

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """Allow by role, or by having made the row."""
        found: list[Clause] = []
        needed = self.minimum.get(action)
        if needed is not None and actor.rank >= RANK[needed]:
            found.append(
                Clause(effect="allow", reason=f"The role {actor.role} may {action} {self.area}.")
            )
        if (
            self.owner_field
            and actor.user_id is not None
            and action in self.owner_actions
            and actor.rank >= RANK[self.owner_minimum]
        ):
            found.append(
                Clause(
                    effect="allow",
                    reason=f"Who made one of the {self.area} may {action} it.",
                    where=Q(**{self.owner_field: actor.user_id}),
                )
            )
        return found


def guest_clauses(actor: Actor, *, kind: str, action: Action) -> list[Clause]:
    """Return what a share lets a guest do with rows of a kind; nothing for who is no guest.

    Never to change, delete or share the row itself, whatever the share says.
    """
    opened = [
        shared.object_id
        for shared in actor.shared
        if shared.kind == kind and action in _GUESTS_MAY[shared.permission]
    ]
    if not opened:
        return []
    reason = "It is shared with the person's own space."
    return [Clause(effect="allow", reason=reason, where=Q(pk__in=opened))]


_GUESTS_MAY: Mapping[SharePermission, frozenset[Action]] = {
    SharePermission.VIEWER: frozenset({"view", "use"}),
    SharePermission.EDITOR: frozenset({"view", "use", "edit"}),
}


class PersonalPolicy(Policy):
    """Only the person whose row it is; no role opens it."""

    owner_field: ClassVar[str] = "user_id"

    def clauses(
        self,
        actor: Actor,
        action: Action,
    ) -> Sequence[Clause]:
        """Allow everything to the row's person."""
        if actor.user_id is None or not actor.role:
            return ()
        where = Q(**{self.owner_field: actor.user_id})
        return (Clause(effect="allow", reason=f"Your own {self.area}.", where=where),)


class InheritedPolicy(Policy):
    """The parent's rule holds for its children; `actions` says which parent action each needs."""

    parent_field: ClassVar[str]
    parent_model: ClassVar[type[models.Model]]
    actions: ClassVar[Mapping[Action, Action]] = {
        "view": "view",
        "create": "change",
        "change": "change",
        "delete": "change",
    }

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """Return the parent's clauses, looked up through the parent."""
        wanted = self.actions.get(action)
        if wanted is None:
            return ()
        return [
            Clause(
                effect=clause.effect,
                reason=clause.reason,
                where=prefixed(clause.where, f"{self.parent_field}__"),
            )
            for clause in policy_of(self.parent_model).clauses(actor, wanted)
        ]


_policies: dict[type[models.Model], Policy] = {}


def register(model: type[models.Model], policy: Policy) -> None:
    """Make `policy` the rule of `model`; called from an app's `policies.py`."""
    if model in _policies:
        raise RuntimeError(f"{model.__name__} has a policy already")
    _policies[model] = policy


def policy_of(model: type[models.Model]) -> Policy:
    """Return the model's policy; a model without one cannot be asked about."""
    try:
        return _policies[model._meta.concrete_model or model]
    except KeyError:
        raise LookupError(
            f"{model._meta.label} has no policy: register one in its app's policies.py"
        ) from None


def require(actor: Actor, action: Action, target: models.Model | type[models.Model]) -> None:
    """Return when allowed. For "create", pass the class, or the parent to create below it.

    To create below a parent one must be allowed to do what the parent's policy says in `below`: a
    document goes only into a base whose content is one's own to edit.

    Raises:
        NotFound: the actor may not even see `target`.
        AccessDenied: the actor sees it but may not do this.
    """
    if isinstance(target, type):
        if action != "create":
            raise TypeError(f"to {action} needs a row, or visible() for many")
        if not _may_create(actor, target):
            raise AccessDenied(_denial(actor, action, target), attempted=_attempt(action, target))
        return
    if explain(actor, action, target).allowed:
        return
    if action == "view" or not explain(actor, "view", target).allowed:
        raise NotFound(_("There is no such %(thing)s.") % {"thing": target._meta.verbose_name})
    raise AccessDenied(
        _denial(actor, action, type(target)),
        attempted=_attempt(action, type(target)),
        target=target,
    )


def visible(actor: Actor, action: Action, queryset: models.QuerySet[M]) -> models.QuerySet[M]:
    """Return the rows of `queryset` on which `actor` may do `action`."""
    policy = policy_of(queryset.model)
    where = _combined(actor, action, policy)
    if where is None:
        return queryset.none()
    return queryset.filter(where, **{policy.space_lookup(): actor.space_id})


def may(actor: Actor, action: Action, target: models.Model | type[models.Model]) -> bool:
    """Say whether `require` would return; for showing or hiding a button."""
    try:
        require(actor, action, target)
    except (NotFound, AccessDenied):
        return False
    return True


def explain(actor: Actor, action: Action, target: models.Model) -> Verdict:
    """Say whether and why, for an administrator's page."""
    policy = policy_of(type(target))
    if action == "create":
        action = policy.below  # of the parent; the row itself is there already
    if _space_of(target, policy) != actor.space_id:
        return Verdict(allowed=False, reasons=("It belongs to another space.",))
    if not _in_scope(actor, action, policy):
        return Verdict(allowed=False, reasons=("The key's scopes do not name it.",))
    holding = _holding(policy.clauses(actor, action), target)
    denials = tuple(c.reason for c in holding if c.effect == "deny")
    if denials:
        return Verdict(allowed=False, reasons=denials)
    reasons = tuple(c.reason for c in holding)
    return Verdict(allowed=bool(reasons), reasons=reasons or ("Nothing allows it.",))


def _combined(actor: Actor, action: Action, policy: Policy) -> Q | None:
    """Join the clauses into one condition; None when nothing allows the action."""
    if not _in_scope(actor, action, policy):
        return None
    clauses = policy.clauses(actor, action)
    allows = [clause.where for clause in clauses if clause.effect == "allow"]
    denies = [clause.where for clause in clauses if clause.effect == "deny"]
    if not allows or any(not where for where in denies):
        return None
    joined = Q() if any(not where for where in allows) else allows[0]
    if joined:
        for where in allows[1:]:
            joined |= where
    for where in denies:
        joined &= ~where
    return joined


def _may_create(actor: Actor, model: type[models.Model]) -> bool:
    """Whether some row of `model` may be made; a child's parent decides about the very row."""
    policy = policy_of(model)
    if not _in_scope(actor, "create", policy):
        return False
    clauses = policy.clauses(actor, "create")
    return any(c.effect == "allow" for c in clauses) and not any(
        c.effect == "deny" and not c.where for c in clauses
    )


def _in_scope(actor: Actor, action: Action, policy: Policy) -> bool:
    return actor.scopes is None or f"{policy.area}.{action}" in actor.scopes


def _space_of(target: models.Model, policy: Policy) -> Any:
    value: Any = target
    for name in policy.space_lookup().split("__"):
        value = getattr(value, name)
    return value


def _holding(clauses: Sequence[Clause], target: models.Model) -> list[Clause]:
    """Return the clauses that hold for `target`.

    One question to the database, so that a single check uses the very conditions of a list.
    """
    asked = {f"clause_{index}": clause for index, clause in enumerate(clauses) if clause.where}
    if not asked:
        return list(clauses)
    rows = type(target)._default_manager.filter(pk=target.pk).order_by()
    answers = list(rows.values(**{name: _as_boolean(one.where) for name, one in asked.items()}))
    if not answers:  # deleted, or of another space than the scope's: no denial could be asked for
        return []
    held = {name for name in asked if any(answer[name] for answer in answers)}
    return [
        clause
        for index, clause in enumerate(clauses)
        if not clause.where or f"clause_{index}" in held
    ]


def _as_boolean(where: Q) -> models.Case:
    return models.Case(
        models.When(where, then=True), default=False, output_field=models.BooleanField()
    )


_DENIALS: Mapping[Action, Promise] = {
    "view": gettext_lazy("Your role (%(role)s) does not let you see this %(thing)s."),
    "create": gettext_lazy("Your role (%(role)s) does not let you create this %(thing)s."),
    "edit": gettext_lazy("Your role (%(role)s) does not let you edit this %(thing)s."),
    "change": gettext_lazy("Your role (%(role)s) does not let you change this %(thing)s."),
    "delete": gettext_lazy("Your role (%(role)s) does not let you delete this %(thing)s."),
    "share": gettext_lazy("Your role (%(role)s) does not let you share this %(thing)s."),
    "manage": gettext_lazy("Your role (%(role)s) does not let you manage this %(thing)s."),
    "use": gettext_lazy("Your role (%(role)s) does not let you use this %(thing)s."),
}


def _denial(actor: Actor, action: Action, model: type[models.Model]) -> str:
    role = Role(actor.role).label if actor.role in Role.values else pgettext("no role", "none")
    return str(_DENIALS[action]) % {"role": role, "thing": model._meta.verbose_name}


def _attempt(action: Action, model: type[models.Model]) -> str:
    return f"{policy_of(model).area}.{action}"
