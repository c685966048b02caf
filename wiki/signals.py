"""Facts that the wiki announces; sent on commit, in the space's scope."""

from django.dispatch import Signal

page_written = Signal()
"""A page has another text, or is back. Arguments: `page_id`, `edit` (None when it was brought back)."""
page_removed = Signal()
"""A page is in the trash. Arguments: `page_id`."""
change_moved = Signal()
"""A change request has another state. Arguments: `change_id`, `was`, `actor` (None: nobody's act)."""
