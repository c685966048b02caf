"""Files of the workspace: read in pages, listed, written, edited."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from agents.engine.errors import ToolFailed
from agents.engine.tools import Arguments, Tool, ToolContext, ToolResult, tool
from agents.tools.deps import RunDeps
from agents.tools.sandbox_output import collected_data, told_about, with_output
from agents.tools.sandbox_session import alone_with, use_workspace, workspace_path
from core.aio import in_db
from core.errors import Invalid, NotFound, ProjectError
from sandbox.contract import MIB, WORKSPACE, CancelCheck, Workspace
from sandbox.files.edits import Edit, EditRefused, apply_edits
from sandbox.files.paging import DEFAULT_LINES, MAX_PAGE_BYTES, Page, read_page
from sandbox.services.sessions import OpenSession

MAX_WRITE_BYTES = 8 * MIB
READ_BYTES = 32 * MIB
"""The largest file that is read in pages."""
Reader = Callable[[RunDeps, str], bytes]
_readers: dict[str, Reader] = {}
_PATHS = {"filepath": "path", "file": "path", "filename": "path"}


def register_reader(scheme: str, reader: Reader) -> None:
    """Let `read_file` read addresses such as `skill://…`; the reader gets what stands behind it.

    It runs as a database call, and raises an error of the project with words for the model.
    """
    _readers[scheme] = reader


def has_readers() -> bool:
    """Whether `read_file` can read anything beside the workspace."""
    return bool(_readers)


def _read_title(arguments: Arguments) -> str:
    return f"Reading {arguments['path']}"


@tool(
    also_known_as=("read_sandbox_file", "READ_FILE"),
    argument_names=_PATHS,
    output_budget_chars=MAX_PAGE_BYTES + 2000,
    repeatable=True,
    title=_read_title,
)
async def read_file(
    ctx: ToolContext[RunDeps],
    path: Annotated[
        str,
        Field(min_length=1, max_length=1000, description="A path in /workspace, or skill://…"),
    ],
    offset: Annotated[int, Field(ge=1, description="First line to read, from 1.")] = 1,
    limit: Annotated[int, Field(ge=1, le=100_000, description="Lines at most.")] = DEFAULT_LINES,
    max_bytes: Annotated[
        int, Field(ge=256, le=MAX_PAGE_BYTES, description="Bytes at most.")
    ] = 16_000,
    line_offset: Annotated[
        int, Field(ge=0, description="Bytes of the first line to leave out; for very long lines.")
    ] = 0,
) -> ToolResult:
    """Read a text file of the workspace, or a file of a skill, in pages.

    A page that is not the last says with which offset (and line_offset) to go on. Attached files
    stand in /workspace/input. Example: {"path": "/workspace/input/sales.csv", "limit": 50}
    """
    data, notice = await _read(ctx, path)
    if b"\x00" in data[:8192]:
        raise ToolFailed(
            f"{path!r} is not a text file ({len(data):,} bytes). Read it with a program of your own.",
            code="binary",
        )
    page = read_page(data, offset=offset, limit=limit, max_bytes=max_bytes, line_offset=line_offset)
    text = page.data.decode("utf-8", errors="replace")
    return ToolResult(
        output=told_about(notice, f"{text}\n\n[{_place(page)}]"),
        summary=f"Lines {page.first_line}–{page.last_line} of {page.total_lines}",
        data={"path": path, "next_offset": page.next_line},
    )


@tool(argument_names={"directory": "path", "dir": "path", **_PATHS}, repeatable=True)
async def list_sandbox_files(
    ctx: ToolContext[RunDeps],
    path: Annotated[
        str, Field(max_length=1000, description="A directory in /workspace.")
    ] = WORKSPACE,
    max_entries: Annotated[int, Field(ge=1, le=500, description="Entries at most.")] = 200,
) -> ToolResult:
    """List the files of the workspace: attached ones in input, finished ones in output.

    Example: {"path": "/workspace/output"}
    """
    where = workspace_path(path)

    def listed(workspace: Workspace, _: OpenSession, __: CancelCheck) -> list[str]:
        entries = workspace.list_files(where, limit=max_entries)
        return [f"{each.size_bytes:>12,}  {each.kind:<9}  {each.path!r}" for each in entries]

    lines, notice = await use_workspace(ctx, listed)
    body = "\n".join(lines) if lines else f"There is nothing in {where}."
    if len(lines) == max_entries:
        body += f"\n[Only the first {max_entries} are shown; list a directory below.]"
    return ToolResult(
        output=told_about(notice, body), summary=f"{len(lines)} entries", data={"path": where}
    )


def _write_title(arguments: Arguments) -> str:
    return f"Writing {arguments['path']}"


@tool(
    side_effects="idempotent",
    argument_names={"text": "content", "data": "content", **_PATHS},
    title=_write_title,
)
async def write_sandbox_file(
    ctx: ToolContext[RunDeps],
    path: Annotated[str, Field(min_length=1, max_length=1000, description="In /workspace.")],
    content: Annotated[str, Field(max_length=MAX_WRITE_BYTES, description="The text.")],
    mode: Annotated[
        str, Field(pattern="^(overwrite|append)$", description="overwrite or append.")
    ] = "overwrite",
) -> ToolResult:
    r"""Write a text file in the workspace, or add to its end.

    What stands in /workspace/output is given to the person. /workspace/input is read-only.
    Example: {"path": "/workspace/chart.py", "content": "print('hello')\n"}
    """
    where = workspace_path(path, writes=True)
    added = content.encode("utf-8", errors="replace")

    def write(workspace: Workspace, session: OpenSession, _: CancelCheck) -> Any:
        data = added
        if mode == "append":
            data = _existing(workspace, where) + added
        if len(data) > MAX_WRITE_BYTES:
            raise Invalid(f"The file would have {len(data):,} bytes; 8 MiB are the most.")
        workspace.put(where, data)
        return len(data), with_output(workspace, session, changed=where)

    async with alone_with(ctx, where):
        (size, collection), notice = await use_workspace(ctx, write)
    shown, data = await collected_data(ctx.deps, collection)
    output = f"Wrote {where}: {size:,} bytes now.{shown}"
    return ToolResult(output=told_about(notice, output), summary=where, data=data)


class FileEdit(BaseModel):
    """One replacement."""

    model_config = ConfigDict(extra="forbid")

    old_string: str = Field(min_length=1, description="Exactly as it stands in the file.")
    new_string: str = Field(description="What takes its place.")
    replace_all: bool = Field(default=False, description="Everywhere, not in one place only.")


def _edit_title(arguments: Arguments) -> str:
    return f"Editing {arguments['path']}"


@tool(side_effects="idempotent", argument_names=_PATHS, title=_edit_title)
async def edit_sandbox_file(
    ctx: ToolContext[RunDeps],
    path: Annotated[str, Field(min_length=1, max_length=1000, description="In /workspace.")],
    edits: Annotated[
        list[FileEdit],
        Field(min_length=1, max_length=100, description="All are read against the file as it is."),
    ],
) -> ToolResult:
    """Replace exact pieces of a text file; if one does not fit, none is made.

    Give enough of the text around a place that it stands there once, or set replace_all. Pieces must
    not overlap. Example: {"path": "/workspace/a.py", "edits": [{"old_string": "x = 1",
    "new_string": "x = 2"}]}
    """
    where = workspace_path(path, writes=True)
    wanted = [_edit_of(each) for each in edits]

    def change(workspace: Workspace, session: OpenSession, _: CancelCheck) -> Any:
        data = workspace.get(where, max_bytes=MAX_WRITE_BYTES)
        try:
            edited = apply_edits(data.decode("utf-8"), wanted)
        except UnicodeDecodeError as error:
            raise Invalid(f"{where} is not a text in UTF-8.") from error
        except EditRefused as refusal:
            raise Invalid(str(refusal)) from refusal
        workspace.put(where, edited.text.encode())
        return edited.replacements, with_output(workspace, session, changed=where)

    async with alone_with(ctx, where):
        (count, collection), notice = await use_workspace(ctx, change)
    shown, data = await collected_data(ctx.deps, collection)
    output = f"Made {count} replacements in {where}.{shown}"
    return ToolResult(output=told_about(notice, output), summary=where, data=data)


async def _read(ctx: ToolContext[RunDeps], path: str) -> tuple[bytes, str]:
    scheme, separator, rest = path.strip().partition("://")
    if separator:
        reader = _readers.get(scheme.lower())
        if reader is None:
            known = ", ".join(f"{name}://" for name in sorted(_readers)) or "none"
            raise ToolFailed(
                f"{scheme}:// cannot be read here; these can: {known}.", code="bad_path"
            )
        try:
            return await in_db(reader, ctx.deps, rest), ""
        except ProjectError as refusal:
            raise ToolFailed(refusal.message, code=refusal.code) from refusal
    where = workspace_path(path)

    def read(workspace: Workspace, _: OpenSession, __: CancelCheck) -> bytes:
        return workspace.get(where, max_bytes=READ_BYTES)

    return await use_workspace(ctx, read)


def _existing(workspace: Workspace, path: str) -> bytes:
    try:
        return workspace.get(path, max_bytes=MAX_WRITE_BYTES)
    except NotFound:
        return b""


def _edit_of(given: FileEdit | Mapping[str, Any]) -> Edit:
    edit = given if isinstance(given, FileEdit) else FileEdit.model_validate(given)
    return Edit(old=edit.old_string, new=edit.new_string, replace_all=edit.replace_all)


def _place(page: Page) -> str:
    if not page.data:
        return f"Nothing is there; the file has {page.total_lines} lines."
    where = (
        f"Lines {page.first_line} to {page.last_line} of {page.total_lines},"
        f" {page.total_bytes:,} bytes in all."
    )
    if page.next_line is None:
        return f"{where} That is the end."
    more = f" line_offset={page.next_line_offset}" if page.next_line_offset else ""
    return f"{where} Go on with offset={page.next_line}{more}"


FILE_TOOLS: tuple[Tool[RunDeps], ...] = (
    read_file,
    list_sandbox_files,
    write_sandbox_file,
    edit_sandbox_file,
)
