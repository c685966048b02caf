from __future__ import annotations

import socket

from core.embedded.ports import LOOPBACK, is_free, remembered_port, settle_port


def test_port_is_remembered(tmp_path):
    file = tmp_path / "ports.json"
    first = settle_port(file, "postgres")
    assert settle_port(file, "postgres") == first
    assert remembered_port(file, "postgres") == first
    assert remembered_port(file, "valkey") is None


def test_port_that_somebody_took_is_replaced(tmp_path):
    file = tmp_path / "ports.json"
    first = settle_port(file, "models")
    other = settle_port(file, "valkey")
    with socket.create_server((LOOPBACK, first)):
        assert not is_free(first)
        second = settle_port(file, "models")
    assert second != first
    assert remembered_port(file, "valkey") == other


def test_half_written_file_counts_as_none(tmp_path):
    file = tmp_path / "ports.json"
    file.write_text('{"postgres": 54')
    assert remembered_port(file, "postgres") is None
    assert settle_port(file, "postgres") > 0
