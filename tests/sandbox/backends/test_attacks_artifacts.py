"""A: making the platform read or write something else than a file of the workspace."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from core.errors import Invalid, NotFound, ProjectError, TooLarge
from sandbox.contract import MIB, ArtifactLimits
from tests.sandbox.backends.conftest import Shell

pytestmark = pytest.mark.slow

_PLANTED = r"""
cd output
echo good > good.txt
ln -s /etc/passwd absolute
ln -s ../../../../etc/passwd relative
ln -s loop loop
ln -s / root
mkfifo pipe
ln good.txt hard
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
touch $'new\nline' $'\xff\xfe' $'\e[31mred'
mkdir -p real && echo deep > real/deep.txt
"""


@pytest.fixture(scope="module")
def planted(shared: Shell) -> Shell:
    """A workspace full of traps."""
    shared.sh(_PLANTED)
    return shared


def test_a1_only_regular_files_with_plain_names_are_collected(shell: Shell) -> None:
    shell.sh(_PLANTED)
    collection = shell.workspace.collect(ArtifactLimits())

    files = {file.path: file.data for file in collection.files}
    assert files == {"good.txt": b"good\n", "hard": b"good\n", "real/deep.txt": b"deep\n"}
    left_out = {path for path, _reason in collection.left_out}
    assert {"absolute", "relative", "loop", "root", "pipe"} <= left_out
    assert all("\n" not in path and "\x1b" not in path for path in left_out)


@pytest.mark.parametrize(
    "path",
    [
        "/workspace/output/absolute",
        "/workspace/output/relative",
        "/workspace/output/loop",
        "/workspace/output/pipe",
        "/workspace/output/socket",
        "/workspace/output/root/etc/passwd",
        "/workspace/../etc/passwd",
        "/etc/passwd",
        "../etc/passwd",
        "/workspace/output",
        "/workspace",
        "/workspace/none",
        "output/a\0b",
    ],
)
def test_a2_nothing_else_than_a_regular_file_is_read(planted: Shell, path: str) -> None:
    with pytest.raises((Invalid, NotFound)):
        planted.workspace.get(path, max_bytes=MIB)


def test_a2_a_file_larger_than_asked_for_is_not_read(shell: Shell) -> None:
    shell.sh("head -c 2000 /dev/zero > big; truncate -s 30M sparse")

    for name in ("big", "sparse"):
        with pytest.raises(Invalid):
            shell.workspace.get(name, max_bytes=1000)
    assert len(shell.workspace.get("big", max_bytes=2000)) == 2000


def test_a3_an_output_directory_that_is_a_link_is_not_entered(shell: Shell) -> None:
    shell.sh("rmdir output; ln -s /etc output")

    assert shell.workspace.collect(ArtifactLimits()).files == ()


def test_a4_number_size_and_depth_are_limited(shell: Shell) -> None:
    shell.sh(
        "cd output; head -c 20M /dev/zero > a-large; for i in $(seq 300); do echo > f$i; done;"
        " mkdir deep; cd deep; for i in $(seq 100); do mkdir d; cd d; done; echo > bottom"
    )
    collection = shell.workspace.collect(ArtifactLimits(files=50))

    assert len(collection.files) == 50
    reasons = dict(collection.left_out)
    assert "larger" in reasons["a-large"]
    assert any("deep" in reason for reason in reasons.values())
    assert not any("bottom" in file.path for file in collection.files)


def test_a5_what_is_swapped_while_it_is_read_never_shows_the_host(
    shell: Shell, sandbox_root: Path
) -> None:
    (sandbox_root / "swap-canary").write_text("canary of the host", encoding="utf-8")
    target = sandbox_root / "swap-canary"
    script = f"""
cd output; mkdir d e; echo inner > d/f; ln -s {sandbox_root} link
while :; do mv -T d x 2>/dev/null; ln -sfn {sandbox_root} d; rm -f d; mv -T x d
  rm -f d/f; ln -s {target} d/f; rm -f d/f; echo inner > d/f; done
"""
    swapper = threading.Thread(target=shell.sh, args=(script,), kwargs={"seconds": 3})
    swapper.start()
    seen: set[bytes] = set()
    while swapper.is_alive():
        for path in ("output/d/f", "output/d/swap-canary"):
            try:
                seen.add(shell.workspace.get(path, max_bytes=1000))
            except ProjectError:
                continue
        seen |= {file.data for file in shell.workspace.collect(ArtifactLimits()).files}
    swapper.join()

    assert not any(b"canary" in data for data in seen)


def test_a6_writing_through_planted_links_changes_nothing_of_the_host(
    shell: Shell, sandbox_root: Path
) -> None:
    victim = sandbox_root / "victim"
    victim.write_text("as it was", encoding="utf-8")
    shell.sh(f"ln -s {victim} file; ln -s {sandbox_root} dir; ln -s /etc etc; mkfifo pipe")
    for path in ("file", "dir/victim", "etc/passwd", "pipe"):
        try:
            shell.workspace.put(path, b"changed")
        except ProjectError:
            continue

    assert victim.read_text(encoding="utf-8") == "as it was"
    assert b"changed" not in shell.sh("cat /etc/passwd").stdout


@pytest.mark.parametrize(
    "script",
    [
        "echo x > input/given.csv",
        "echo x > input/new",
        "rm -f input/given.csv",
        "mv input other",
        "rm -rf input; mkdir input",
        "chmod 777 input",
        "ln -s /tmp input/link",
        "mv input/given.csv .",
    ],
)
def test_a7_inputs_cannot_be_changed_but_by_the_platform(shell: Shell, script: str) -> None:
    shell.workspace.put("input/given.csv", b"1,2", read_only=True)
    shell.sh(script)
    shell.workspace.put("input/later.csv", b"3", read_only=True)

    assert shell.sh("cat input/*.csv; ls input").stdout == b"1,23given.csv\nlater.csv\n"


def test_inputs_are_written_only_as_inputs(shell: Shell) -> None:
    with pytest.raises(Invalid):
        shell.workspace.put("input/x", b"")
    with pytest.raises(Invalid):
        shell.workspace.put("x", b"", read_only=True)


def test_what_the_platform_writes_is_the_sandboxs_own(shell: Shell) -> None:
    shell.workspace.put("a/b/c.txt", b"one")
    shell.workspace.put("a/b/c.txt", b"two")

    result = shell.sh("cat a/b/c.txt; echo more >> a/b/c.txt && touch a/b/d && echo ok")
    assert result.stdout == b"twook\n"
    assert shell.workspace.get("a/b/c.txt", max_bytes=99) == b"twomore\n"


def test_a_full_workspace_says_so(shell: Shell) -> None:
    for number in range(2):
        shell.workspace.put(f"part{number}", bytes(30 * MIB))
    with pytest.raises(TooLarge):
        shell.workspace.put("last", bytes(30 * MIB))
    with pytest.raises(NotFound):
        shell.workspace.get("last", max_bytes=40 * MIB)
