"""Facts that knowledge announces; sent on commit, in the space's scope."""

from django.dispatch import Signal

document_indexed = Signal()
"""A document can be found now. Arguments: `document_id`."""
document_removed = Signal()
"""A document and its passages are gone. Arguments: `document_id`, `base_id`."""
