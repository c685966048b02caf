"""Running a command in the conversation's workspace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import Field

from agents.approvals.risks import register_risks
from agents.engine.errors import ToolFailed
from agents.engine.tools import Arguments, Tool, ToolContext, ToolResult, tool
from agents.tools.deps import RunDeps
from agents.tools.sandbox_output import collected_data, told_about, with_output
from agents.tools.sandbox_session import use_workspace, workspace_path
from core.aio import in_db
from core.errors import ProjectError
from sandbox.contract import INPUT, OUTPUT, WORKSPACE, CancelCheck, ExecResult, Workspace
from sandbox.files.streams import shown
from sandbox.services.sessions import OpenSession
from sandbox.skills.hiding import without_values
from sandbox.validator import find_dangers_in_call
from sandbox.values import check_environment

LONGEST_SECONDS = 600
MOST_COMMAND_CHARS = 8192
MOST_OUTPUT, MOST_ERRORS = 64 * 1024, 16 * 1024
SkillDirectory = Callable[[RunDeps, str], tuple[str, Mapping[str, str]]]
_skills: list[SkillDirectory] = []


def register_skill_directory(find: SkillDirectory) -> None:
    """Add what gives the directory and the variables of a named skill, as far as the run may."""
    _skills[:] = [find]


def _title(arguments: Arguments) -> str:
    first = str(arguments["command"]).strip().splitlines()
    return f"Running {first[0][:120]}" if first else "Running a command"


@tool(
    side_effects="idempotent",
    timeout_seconds=LONGEST_SECONDS + 90.0,
    output_budget_chars=MOST_OUTPUT + MOST_ERRORS + 4000,
    repeatable=True,
    also_known_as=("SHELL_EXEC", "bash", "run_command"),
    argument_names={
        "cmd": "command",
        "cwd": "work_dir",
        "workdir": "work_dir",
        "timeout": "timeout_sec",
        "timeoutseconds": "timeout_sec",
        "skill": "skill_name",
    },
    title=_title,
)
async def shell_exec(
    ctx: ToolContext[RunDeps],
    command: Annotated[
        str, Field(min_length=1, max_length=MOST_COMMAND_CHARS, description="For bash.")
    ],
    work_dir: Annotated[
        str | None, Field(max_length=1000, description="Below /workspace; that is the default.")
    ] = None,
    timeout_sec: Annotated[int, Field(ge=1, le=LONGEST_SECONDS, description="Seconds.")] = 120,
    skill_name: Annotated[
        str | None,
        Field(max_length=64, description="A skill whose directory and variables it needs."),
    ] = None,
    max_output_bytes: Annotated[
        int, Field(ge=256, le=MOST_OUTPUT, description="Shown of standard output.")
    ] = 16_000,
    max_stderr_bytes: Annotated[
        int, Field(ge=256, le=MOST_ERRORS, description="Shown of standard error.")
    ] = 8000,
    env: Annotated[
        dict[str, str] | None, Field(description="Further variables of the command.")
    ] = None,
) -> ToolResult:
    """Run a shell command in the sandbox of this conversation: Python with pandas and matplotlib.

    Files stay between calls, processes do not. Attached files are in /workspace/input (read-only);
    what you write to /workspace/output is given to the person when the command is over. There is
    no network. Example: {"command": "python3 chart.py", "timeout_sec": 60}
    """
    cwd = workspace_path(work_dir) if work_dir else WORKSPACE
    own = await in_db(_environment, ctx.deps, skill_name, env or {})

    def run(workspace: Workspace, session: OpenSession, cancelled: CancelCheck) -> Any:
        result = workspace.exec(
            ["/bin/bash", "-c", command],
            timeout_seconds=float(timeout_sec),
            cwd=cwd,
            env={**session.environment, **own},
            cancelled=cancelled,
        )
        secret = {name: value for name, value in own.items() if name not in (env or {})}
        hidden = without_values(result, {**session.environment, **secret})
        return hidden, with_output(workspace, session)

    (result, collection), notice = await use_workspace(ctx, run, seconds=timeout_sec + 60.0)
    words, data = await collected_data(ctx.deps, collection)
    output = _written(result, max_output_bytes, max_stderr_bytes, timeout_sec)
    return ToolResult(
        output=told_about(notice, output + words),
        summary=_ended(result, timeout_sec),
        data={**data, "exit_code": result.exit_code},
    )


def _environment(deps: RunDeps, skill_name: str | None, given: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a command: the platform's, the skill's, the model's own."""
    found: dict[str, str] = {}
    try:
        check_environment(given)
        if skill_name:
            if not _skills:
                raise ToolFailed("There are no skills in this conversation.", code="no_skill")
            directory, variables = _skills[0](deps, skill_name)
            found = {**variables, "WEKNORA_SKILL_DIR": directory}
    except ProjectError as refusal:
        raise ToolFailed(refusal.message, code=refusal.code) from refusal
    return {
        **given,
        **found,
        "WEKNORA_SKILL_OUTPUT_DIR": OUTPUT,
        "WEKNORA_SESSION_INPUT_DIR": INPUT,
        "WEKNORA_SKILL_HISTORY_ROOT": WORKSPACE,
    }


def _written(result: ExecResult, most: int, most_errors: int, seconds: int) -> str:
    parts = [f"[{_ended(result, seconds)}]"]
    out = shown(result.stdout, most, is_cut=result.stdout_truncated)
    errors = shown(result.stderr, most_errors, is_cut=result.stderr_truncated)
    if out:
        parts.append(out)
    if errors:
        parts.append(f"<stderr>\n{errors}\n</stderr>")
    if not out and not errors:
        parts.append("It printed nothing.")
    if result.lost:
        parts.append("[The workspace had to be started anew; its files may be gone.]")
    return "\n".join(parts)


def _ended(result: ExecResult, seconds: int) -> str:
    took = f"{result.duration_seconds:.1f} s"
    if result.timed_out:
        return f"Ended after its {seconds} s; nothing of it runs any more"
    if result.cancelled:
        return f"Stopped after {took}"
    if result.out_of_memory:
        return f"Ended after {took}: it used more memory than it may"
    if result.over_limit:
        return f"Ended after {took}: it used more {result.over_limit} than it may"
    if result.exit_code is None:
        return f"Ended after {took} without an exit code"
    return f"Exit code {result.exit_code} after {took}"


def _risks(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    return find_dangers_in_call(command=str(arguments.get("command", "")))


register_risks("shell_exec", _risks)
SHELL_TOOLS: tuple[Tool[RunDeps], ...] = (shell_exec,)
