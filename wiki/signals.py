"""Facts that the wiki announces; sent on commit, in the space's scope."""

from django.dispatch import Signal

page_written = Signal()
"""A page has another text, or is back. Arguments: `page_id`, `edit` (None when it was brought back)."""
page_removed = Signal()
"""A page is in the trash. Arguments: `page_id`."""
change_moved = Signal()
"""A change request has another state. Arguments: `change_id`, `was`, `actor` (None: nobody's act)."""
change_opened = Signal()
"""A change request waits for a review. Arguments: `change_id`, `actor`."""
change_talked = Signal()
"""Somebody was asked to review a change request, or commented on it. Arguments: `change_id`,
`comment_id` or None, `asked`: the ids of people who are asked from now on."""
