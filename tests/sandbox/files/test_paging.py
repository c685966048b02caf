"""Pages of a file, one after the other, are the file."""

from __future__ import annotations

from hypothesis import given, strategies as st

from sandbox.files.paging import read_page

FILES = st.one_of(
    st.binary(max_size=400),
    st.text(alphabet="aé漢😀\n\r\t", max_size=200).map(str.encode),
)


@given(data=FILES, limit=st.integers(1, 12), max_bytes=st.integers(1, 60))
def test_all_pages_together_are_the_file(data: bytes, limit: int, max_bytes: int) -> None:
    read, line, line_offset, pages = b"", 1, 0, 0
    while True:
        page = read_page(
            data, offset=line, line_offset=line_offset, limit=limit, max_bytes=max_bytes
        )
        assert len(page.data) <= max_bytes
        assert page.data.count(b"\n") <= limit
        read += page.data
        pages += 1
        if page.next_line is None:
            break
        assert page.data, "a page that is not the last one goes on"
        line, line_offset = page.next_line, page.next_line_offset
    assert read == data
    assert pages <= len(data) + 1


@given(text=st.text(alphabet="aé漢😀\n", max_size=200), max_bytes=st.integers(4, 40))
def test_no_character_is_cut(text: str, max_bytes: int) -> None:
    data, line, line_offset = text.encode(), 1, 0
    while line is not None:
        page = read_page(data, offset=line, line_offset=line_offset, max_bytes=max_bytes)
        page.data.decode()
        line, line_offset = page.next_line, page.next_line_offset


def test_whole_lines_are_kept_where_they_fit() -> None:
    page = read_page(b"one\ntwo\nthree\n", offset=1, limit=10, max_bytes=9)
    assert page.data == b"one\ntwo\n"
    assert (page.next_line, page.next_line_offset, page.total_lines) == (3, 0, 3)


def test_behind_the_end_is_nothing() -> None:
    page = read_page(b"one\n", offset=9)
    assert (page.data, page.next_line, page.total_lines) == (b"", None, 1)
