"""Sends a mail that is written as a template."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from smtplib import SMTPException
from typing import Any

from django.core.mail import EmailMessage
from django.template.loader import render_to_string

logger = logging.getLogger(__name__)


def send_mail(*, to: str, template: str, context: Mapping[str, Any]) -> bool:
    """Send `template`, whose first line is the subject, as plain text; return whether it left.

    A mail server that fails is logged and told by the result: what the mail was about has happened
    and stays. Call it after the transaction.
    """
    subject, _, body = render_to_string(template, dict(context)).lstrip().partition("\n")
    message = EmailMessage(subject=" ".join(subject.split()), body=body.strip() + "\n", to=[to])
    try:
        return message.send() == 1
    except (SMTPException, OSError):
        logger.exception("The mail %s could not be sent", template)
        return False
