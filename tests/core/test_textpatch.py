"""Patches between texts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from core.errors import Invalid
from core.textpatch import apply_patch, changed_lines, unified_patch

TEXTS = st.lists(
    st.sampled_from(
        ["a\n", "b\n", "\n", "c\r\n", "--- x\n", "+d", "\\ e\n", "\x0b\n", "你\u2028\n"]
    )
).map("".join)


@given(TEXTS, TEXTS)
def test_a_patch_gives_the_other_text(old: str, new: str) -> None:
    patch = unified_patch(old, new)
    assert apply_patch(old, patch) == new
    assert bool(patch) == (old != new)


@settings(max_examples=15)
@given(TEXTS, TEXTS)
def test_other_programs_read_it_and_find_no_shorter_one(
    tmp_path_factory: pytest.TempPathFactory, old: str, new: str
) -> None:
    folder: Path = tmp_path_factory.mktemp("patch")
    for name, text in (("old", old), ("new", new), ("patch", unified_patch(old, new))):
        (folder / name).write_bytes(text.encode())
    printed = subprocess.run(
        ["diff", "--minimal", "--text", "old", "new"], cwd=folder, capture_output=True, check=False
    ).stdout
    least = sum(line.startswith((b"<", b">")) for line in printed.split(b"\n"))
    assert changed_lines(unified_patch(old, new)) <= least
    if old != new:
        command = ["patch", "--binary", "--force", "--silent", "old", "patch"]
        subprocess.run(command, cwd=folder, capture_output=True, check=True)
        left = (folder / "old").read_bytes() if (folder / "old").exists() else b""
        assert left == new.encode()


def test_a_missing_end_of_line_is_told_as_others_tell_it() -> None:
    assert unified_patch("a", "a\n").splitlines()[2:] == [
        "@@ -1 +1 @@",
        "-a",
        "\\ No newline at end of file",
        "+a",
    ]


def test_far_changes_are_hunks_of_their_own_with_three_lines_around() -> None:
    text = "".join(f"{number}\n" for number in range(30))
    patch = unified_patch(text, text.replace("5\n", "five\n", 1).replace("20\n", "twenty\n"))
    assert [line for line in patch.splitlines() if line.startswith("@@")] == [
        "@@ -3,7 +3,7 @@",
        "@@ -18,7 +18,7 @@",
    ]


@pytest.mark.parametrize(
    "patch", ["@@ -1 +1 @@\n-other\n+b\n", "@@ -1,2 +1 @@\n-a\n", "no patch", "@@ -1 +1 @@\nx\n"]
)
def test_a_patch_of_another_text_is_refused(patch: str) -> None:
    with pytest.raises(Invalid):
        apply_patch("a\n", patch)
