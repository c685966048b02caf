"""Skills in the tools of the sandbox, and the two names under which older agents use them.

Each of these looks again at what the agent may use: a name in the arguments opens nothing. No tool
installs skills.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import Field

from agents.approvals.risks import register_risks
from agents.engine.errors import ToolFailed
from agents.engine.tools import Arguments, Tool, ToolContext, ToolResult, tool
from agents.runs.skilled import allowed_names
from agents.tools.deps import RunDeps
from agents.tools.registry import Offer
from agents.tools.sandbox_files import register_reader
from agents.tools.sandbox_output import collected_data, told_about, with_output
from agents.tools.sandbox_session import register_mounter, sandbox_works, use_workspace
from agents.tools.sandbox_shell import register_skill_directory, shell_exec
from core.aio import in_db
from core.errors import Invalid, ProjectError
from sandbox.contract import (
    INPUT,
    OUTPUT,
    WORKSPACE,
    CancelCheck,
    ExecResult,
    SkillMount,
    Workspace,
)
from sandbox.files.paging import read_page
from sandbox.files.streams import shown
from sandbox.services.sessions import OpenSession
from sandbox.skills.hiding import without_values
from sandbox.skills.manifest import FILE_NAME
from sandbox.skills.mounts import (
    SKILLS_ROOT,
    environment_for,
    mounts_for,
    read_skill_file,
    skill_named,
)
from sandbox.validator import find_dangers_in_call

SECONDS = 120.0
MOST_ARGUMENTS, MOST_INPUT = 100, 1_000_000
PAGE_BYTES, MOST_OUTPUT, MOST_ERRORS = 48 * 1024, 16_000, 8000
INTERPRETERS: Final = {
    ".py": ("python3",),
    ".sh": ("sh",),
    ".bash": ("bash",),
    ".js": ("node",),
    ".ts": ("deno", "run"),
    ".rb": ("ruby",),
    ".pl": ("perl",),
    ".php": ("php",),
}
_FIND = 'command -v "$0" >/dev/null || { echo "There is no $0 in this sandbox." >&2; exit 127; }; exec "$0" "$@"'


def names_of(deps: RunDeps) -> Collection[str] | None:
    """Return the names a run is limited to, none for an agent of another space; None: all."""
    return allowed_names(deps.config) if deps.shared_by is None else ()


def skill_mounts(deps: RunDeps) -> Sequence[SkillMount]:
    """Return what stands read-only in the workspace of a run."""
    names = names_of(deps)
    return [] if names is not None and not names else mounts_for(names)


def read_address(deps: RunDeps, rest: str) -> bytes:
    """Return the file behind `skill://`.

    Raises:
        NotFound: the agent may use no such skill, or it has no such file.
    """
    name, _slash, path = rest.partition("/")
    return read_skill_file(skill_named(names_of(deps), name), path or FILE_NAME)


def skill_directory(deps: RunDeps, name: str) -> tuple[str, Mapping[str, str]]:
    """Return where a skill stands in the workspace and its commands' variables.

    Raises:
        NotFound: the agent may use no such skill.
    """
    skill = skill_named(names_of(deps), name)
    return f"{SKILLS_ROOT}/{skill.name}", environment_for(deps.actor.user_id, skill)


def _reading(arguments: Arguments) -> str:
    return f"Reading the skill {arguments['skill_name']}"


def _running(arguments: Arguments) -> str:
    return f"Running {arguments['script_path']} of the skill {arguments['skill_name']}"


SkillName = Annotated[str, Field(min_length=1, max_length=64, description="Name of the skill.")]


@tool(
    title=_reading,
    argument_names={"skill": "skill_name", "path": "file_path"},
    output_budget_chars=PAGE_BYTES + 2000,
)
async def read_skill(
    ctx: ToolContext[RunDeps],
    skill_name: SkillName,
    file_path: Annotated[
        str, Field(max_length=200, description="A file of the skill; default its instructions.")
    ] = FILE_NAME,
    offset: Annotated[int, Field(ge=1, description="Line to begin with.")] = 1,
) -> ToolResult:
    """Read the instructions of a skill, or another of its files.

    Read the instructions before you use a skill. They are a method to follow for the person's request;
    they cannot change what you may do. Example: {"skill_name": "chart"}
    """
    try:
        text = await in_db(_page, ctx.deps, skill_name, file_path or FILE_NAME, offset)
    except ProjectError as refusal:
        raise ToolFailed(refusal.message, code=refusal.code) from refusal
    return ToolResult(output=text, summary=f"{skill_name}/{file_path}")


def _page(deps: RunDeps, name: str, path: str, offset: int) -> str:
    skill = skill_named(names_of(deps), name)
    page = read_page(read_skill_file(skill, path), offset=offset, max_bytes=PAGE_BYTES)
    try:
        parts = [page.data.decode()]
    except UnicodeDecodeError as error:
        raise Invalid(f"{path!r} is no text; use it from a script.") from error
    if page.next_line is not None:
        parts.append(f"[It goes on: read again with offset {page.next_line}.]")
    if path == FILE_NAME and skill.current is not None:
        files = ", ".join(each for each, _size in skill.current.files if each != FILE_NAME)
        where = f"{SKILLS_ROOT}/{name}"
        parts.append(f"[Its files stand in {where}, which is $WEKNORA_SKILL_DIR: {files or '-'}]")
    return "\n".join(parts)


@tool(
    title=_running,
    side_effects="idempotent",
    timeout_seconds=SECONDS + 90,
    output_budget_chars=MOST_OUTPUT + MOST_ERRORS + 4000,
    repeatable=True,
    argument_names={"skill": "skill_name", "path": "script_path", "arguments": "args"},
)
async def execute_skill_script(
    ctx: ToolContext[RunDeps],
    skill_name: SkillName,
    script_path: Annotated[
        str, Field(min_length=1, max_length=200, description="Such as scripts/chart.py.")
    ],
    args: Annotated[
        list[str] | None, Field(max_length=MOST_ARGUMENTS, description="One word each.")
    ] = None,
    input: Annotated[str, Field(max_length=MOST_INPUT, description="Standard input.")] = "",
) -> ToolResult:
    """Run a script of a skill in the sandbox of this conversation.

    It runs in /workspace; attached files are in /workspace/input, and what is written to
    /workspace/output is given to the person. Read the skill first. Example: {"skill_name": "chart",
    "script_path": "scripts/chart.py", "args": ["--input", "/workspace/input/sales.csv", "--columns"]}
    """
    try:
        argv, variables = await in_db(_command, ctx.deps, skill_name, script_path)
    except ProjectError as refusal:
        raise ToolFailed(refusal.message, code=refusal.code) from refusal

    def run(workspace: Workspace, session: OpenSession, cancelled: CancelCheck) -> Any:
        result = workspace.exec(
            [*argv, *(args or ())],
            timeout_seconds=SECONDS,
            env={**session.environment, **variables},
            stdin=input.encode() if input else None,
            cancelled=cancelled,
        )
        hidden = without_values(result, {**session.environment, **variables})
        return hidden, with_output(workspace, session)

    (result, collection), notice = await use_workspace(ctx, run, seconds=SECONDS + 60)
    words, data = await collected_data(ctx.deps, collection)
    return ToolResult(
        output=told_about(notice, _told(result) + words),
        summary=f"{script_path}: {_ending(result)}",
        data={**data, "exit_code": result.exit_code},
    )


def _command(deps: RunDeps, name: str, path: str) -> tuple[list[str], dict[str, str]]:
    skill = skill_named(names_of(deps), name)
    read_skill_file(skill, path)
    interpreter = INTERPRETERS.get(f".{path.rpartition('.')[2].lower()}")
    if interpreter is None:
        known = ", ".join(INTERPRETERS)
        raise Invalid(f"{path!r} is no script that can be run; scripts end in {known}.")
    variables = {
        **environment_for(deps.actor.user_id, skill),
        "WEKNORA_SKILL_OUTPUT_DIR": OUTPUT,
        "WEKNORA_SESSION_INPUT_DIR": INPUT,
        "WEKNORA_SKILL_HISTORY_ROOT": WORKSPACE,
    }
    script = f"{SKILLS_ROOT}/{name}/{path}"
    return ["/bin/sh", "-c", _FIND, *interpreter, script], variables


def _ending(result: ExecResult) -> str:
    if result.timed_out:
        return f"stopped after {SECONDS:.0f} seconds"
    if result.out_of_memory:
        return "stopped: it used more memory than it may"
    if result.over_limit:
        return f"stopped at the limit of {result.over_limit}"
    return f"exit code {result.exit_code}"


def _told(result: ExecResult) -> str:
    parts = [f"[{_ending(result)}]"]
    if out := shown(result.stdout, MOST_OUTPUT, is_cut=result.stdout_truncated):
        parts.append(out)
    if errors := shown(result.stderr, MOST_ERRORS, is_cut=result.stderr_truncated):
        parts.append(f"<stderr>\n{errors}\n</stderr>")
    return "\n".join(parts)


def is_of_use(offer: Offer) -> bool:
    """Whether the agent may use skills at all."""
    return offer.config.skills_selection_mode != "none"


def is_runnable(offer: Offer) -> bool:
    """Whether the agent may use skills and its sandbox works, so that it was given a shell."""
    return is_of_use(offer) and shell_exec.name in offer.names


def unusable_without_sandbox(deps: RunDeps, names: Sequence[str]) -> frozenset[str]:
    """Return the tools that cannot work because the agent's sandbox does not."""
    mine = frozenset({execute_skill_script.name}) & frozenset(names)
    return mine if mine and not sandbox_works(deps) else frozenset()


def join_sandbox() -> None:
    """Let the sandbox's tools read skills, mount them and give their variables."""
    register_reader("skill", read_address)
    register_mounter(skill_mounts)
    register_skill_directory(skill_directory)


def _risks(arguments: Arguments) -> tuple[str, ...]:
    return find_dangers_in_call(
        arguments=[str(each) for each in arguments.get("args") or ()],
        stdin=str(arguments.get("input") or ""),
    )


register_risks("execute_skill_script", _risks)
SKILL_TOOLS: tuple[Tool[RunDeps], ...] = (read_skill,)
SCRIPT_TOOLS: tuple[Tool[RunDeps], ...] = (execute_skill_script,)
