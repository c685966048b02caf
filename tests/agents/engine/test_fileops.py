"""File lists that survive summaries."""

from __future__ import annotations

from agents.engine.fileops import collect_files, without_file_lists
from providers.contracts.chat import ChatMessage, ToolCall


def used(*calls: tuple[str, str]) -> list[ChatMessage]:
    made = tuple(
        ToolCall(call_id=str(number), name=name, arguments=arguments)
        for number, (name, arguments) in enumerate(calls)
    )
    return [ChatMessage(role="assistant", tool_calls=made)]


def test_reads_and_writes_are_listed_once_in_order() -> None:
    lists = collect_files(
        used(
            ("read_file", '{"path": "/a"}'),
            ("read_file", '{"path": "/a"}'),
            ("write_sandbox_file", '{"path": "/b", "content": "x"}'),
            ("edit_sandbox_file", '{"path": "/a"}'),
            ("knowledge_search", '{"path": "/c"}'),
            ("read_file", "broken"),
        )
    )
    assert (lists.read, lists.written) == ((), ("/b", "/a"))


def test_an_earlier_summarys_lists_are_inherited() -> None:
    first = collect_files(used(("read_file", '{"path": "/a"}'), ("write_file", '{"path": "/b"}')))
    summary = f"What happened.\n{first.as_text()}"
    later = collect_files(used(("read_file", '{"path": "/c"}')), previous_summary=summary)
    assert (later.read, later.written) == (("/a", "/c"), ("/b",))
    assert without_file_lists(summary) == "What happened."


def test_no_files_leave_no_trace() -> None:
    assert collect_files([]).as_text() == ""
