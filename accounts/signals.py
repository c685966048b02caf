"""Facts that accounts announces; apps above listen in their `apps.py`."""

from django.dispatch import Signal

space_created = Signal()
"""A space was made. Sent with `space: Space` and `creator: User`, inside of the transaction and of
the new space's scope: a listener seeds what every space begins with, and one that fails undoes it."""

membership_ended = Signal()
"""Somebody is no longer a member. Sent with `space_id: int` and `user_id: int` after the commit:
close what is still open for them, such as sockets."""

membership_paused = Signal()
"""A member may not enter the space for now. Sent with `space_id: int` and `user_id: int` after the
commit: stop what works for them, close what is open; what is theirs stays."""

sign_in_locked = Signal()
"""Too many tries. Sent with `rule: "account" | "address"`, `subject: str` (what was tried) and
`seconds: int`, the length of the pause that begins."""

sessions_ended = Signal()
"""Some or all sessions of a person are gone. Sent with `user_id: int`: close what hangs on them."""
