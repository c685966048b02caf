"""The mail back end until a mail server is named: prints every mail, readable, to the log."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

logger = logging.getLogger("weknora.mail")


class LogBackend(BaseEmailBackend):
    """Writes mails to the log of the process instead of sending them.

    Django's console back end prints the encoded message, in which a link may be cut in two and
    every text that is not English is base64.
    """

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Log each mail; none was delivered, and the answer says so."""
        for message in email_messages:
            logger.warning(
                "No mail server is set; this mail is only printed.\nTo: %s\nSubject: %s\n\n%s",
                ", ".join(message.recipients()),
                message.subject,
                message.body,
            )
        return 0
