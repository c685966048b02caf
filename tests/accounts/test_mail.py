"""Mail: readable in the log until a server is named."""

from __future__ import annotations

import logging

import pytest
from django.core.mail import EmailMessage, get_connection

BACKEND = "accounts.notices.log_backend.LogBackend"


def test_a_mail_is_printed_as_it_was_written(caplog: pytest.LogCaptureFixture) -> None:
    link = "http://127.0.0.1:8000/invitation/" + "x" * 90 + "/"
    message = EmailMessage("Einladung für Zoë", f"你好\n{link}\n", to=["zoe@example.org"])
    with caplog.at_level(logging.INFO):
        delivered = get_connection(BACKEND).send_messages([message])
    assert not delivered  # nothing left the machine, and the pages that ask say so
    for part in ("zoe@example.org", "Einladung für Zoë", "你好", link):
        assert part in caplog.text
