"""Files of entries are imported: added, merged, replaced, rehearsed; and exported."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from core.errors import AccessDenied, Conflict, Refused, TooLarge
from core.jobs.work import work
from knowledge.constants import AnswerStrategy, ImportMode
from knowledge.faq import import_run
from knowledge.faq.exporting import export_csv, export_json
from knowledge.faq.import_rows import read_import
from knowledge.faq.importing import (
    IMPORT_FOLDER,
    close_import,
    failed_rows_csv,
    start_import,
    stop_import,
)
from knowledge.faq.queries import newest_import
from knowledge.faq.writing import write_entry
from knowledge.models import FaqEntry, FaqImport, FaqQuestion, KnowledgeBase, Tag
from knowledge.storage import open_file
from tests.knowledge.faq.conftest import index, make_entry
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
HEAD = "Standard question,Similar questions,Negative questions,Answers\n"


def bring(
    persona: Persona,
    base: KnowledgeBase,
    content: str | bytes,
    *,
    name: str = "entries.csv",
    mode: ImportMode = ImportMode.APPEND,
    dry: bool = False,
) -> FaqImport:
    raw = content.encode() if isinstance(content, str) else content
    row = start_import(
        persona.actor,
        base_id=base.pk,
        name=name,
        content=io.BytesIO(raw),
        mode=mode,
        is_dry_run=dry,
    )
    index()
    row.refresh_from_db()
    assert row.ended_at is not None
    return row


def counts(row: FaqImport) -> dict[str, int]:
    return {name: number for name, number in row.counts.items() if number}


def questions() -> list[str]:
    rows = FaqEntry.objects.filter(trashed_at__isnull=True).order_by("number")
    return list(rows.values_list("standard_question", flat=True))


def test_a_table_is_imported_with_all_its_columns(cora: Persona, faq: KnowledgeBase) -> None:
    table = (
        "分类(必填);问题(必填);相似问题;反例问题;机器人回答(必填);是否全部回复;是否停用;是否禁止被推荐\n"
        "支付;如何付款?;怎么付##付款方式;如何退款;刷卡##转账;FALSE;TRUE;是\n"
    )
    row = bring(cora, faq, table.encode("gb18030"))
    assert (row.reason, counts(row)) == ("", {"success": 1, "added": 1})
    entry = FaqEntry.objects.select_related("tag").get()
    assert entry.standard_question == "如何付款?"
    assert entry.similar_questions == ["怎么付", "付款方式"]
    assert (entry.negative_questions, entry.answers) == (["如何退款"], ["刷卡", "转账"])
    assert (entry.answer_strategy, entry.is_enabled) == (AnswerStrategy.RANDOM, False)
    assert (entry.is_recommended, entry.tag and entry.tag.name) == (False, "支付")
    assert entry.indexed_at is not None


def test_an_entry_that_stands_is_merged_and_an_unchanged_one_skipped(
    cora: Persona, faq: KnowledgeBase
) -> None:
    make_entry(cora, faq, "Pay?", "By card.", similar_questions=("Payment",), is_enabled=False)
    make_entry(cora, faq, "Who?", "We.")
    row = bring(cora, faq, HEAD + "pay,Wire?,Taxes?,In cash.\nWho?,,,We.\n")
    assert counts(row) == {"success": 1, "merged": 1, "skipped": 1}
    entry = FaqEntry.objects.get(number=1)
    assert (entry.similar_questions, entry.answers) == (["Payment", "Wire?"], ["In cash."])
    assert (entry.standard_question, entry.version, entry.is_enabled) == ("Pay?", 2, False)
    assert FaqEntry.objects.get(number=2).version == 1


def test_a_merge_that_would_contradict_itself_fails_and_the_entry_stays(
    cora: Persona, faq: KnowledgeBase
) -> None:
    make_entry(cora, faq, "Pay?", "By card.", similar_questions=("Payment",))
    row = bring(cora, faq, HEAD + "Pay?,,payment,In cash.\n")
    assert counts(row) == {"failed": 1}
    assert row.problems[0]["code"] == "post_validation"
    assert FaqEntry.objects.get().answers == ["By card."]


def test_only_the_questions_that_clash_are_left_out(cora: Persona, faq: KnowledgeBase) -> None:
    make_entry(cora, faq, "Pay?", similar_questions=("Payment",))
    row = bring(cora, faq, HEAD + "Cash?,payment##Coins?##coins,cash,Yes.\n")
    assert counts(row) == {"partial_failed": 1, "added": 1}
    entry = FaqEntry.objects.get(number=2)
    assert (entry.similar_questions, entry.negative_questions) == (["Coins?"], [])
    assert any("Entry 1" in reason for reason in row.problems[0]["reasons"])


def test_rows_of_one_file_are_held_against_each_other(cora: Persona, faq: KnowledgeBase) -> None:
    row = bring(cora, faq, HEAD + "Pay?,Wire?,,A.\nWire?,,,B.\npay,Coins?,,C.\n,,,D.\n")
    assert counts(row) == {"success": 2, "added": 1, "merged": 1, "failed": 2}
    assert FaqEntry.objects.get().answers == ["C."]
    assert [problem["row"] for problem in row.problems] == [3, 5]


def test_a_rehearsal_tells_the_same_and_changes_nothing(cora: Persona, faq: KnowledgeBase) -> None:
    make_entry(cora, faq, "Pay?", "By card.")
    table = HEAD + "pay,,,In cash.\nNew?,Newer?,,A.\nNewer?,,,B.\n"
    dry = bring(cora, faq, table, dry=True)
    assert FaqEntry.objects.get().answers == ["By card."]
    real = bring(cora, faq, table)
    assert dry.counts == real.counts
    assert [p["reasons"] for p in dry.problems] == [p["reasons"] for p in real.problems]


def test_replacing_deletes_what_the_file_does_not_have(cora: Persona, faq: KnowledgeBase) -> None:
    make_entry(cora, faq, "Pay?", "By card.", similar_questions=("Wire?",))
    make_entry(cora, faq, "Who?", "We.")
    table = HEAD + "Wire?,,,Yes.\nWho?,,,All of us.\n"
    row = bring(cora, faq, table, mode=ImportMode.REPLACE)
    assert counts(row) == {"replaced": 2, "success": 2, "added": 2}
    assert questions() == ["Who?", "Wire?"]
    assert FaqEntry.objects.get(number=2).answers == ["All of us."]  # the same entry as before
    assert FaqQuestion.objects.count() == 2


def test_a_file_without_a_usable_row_replaces_nothing(cora: Persona, faq: KnowledgeBase) -> None:
    make_entry(cora, faq, "Pay?")
    row = bring(cora, faq, HEAD + "No answer,,,\n", mode=ImportMode.REPLACE)
    assert "nothing was replaced" in row.reason
    assert questions() == ["Pay?"]


def test_a_killed_import_goes_on_without_doubling(
    cora: Persona, faq: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_run, "ROWS_AT_ONCE", 2)
    written = write_entry
    calls: list[str] = []

    def dies_at_the_fourth(entry: Any, draft: Any, **kwargs: Any) -> Any:
        calls.append(draft.standard_question)
        if len(calls) == 4:
            raise RuntimeError("the worker was killed")
        return written(entry, draft, **kwargs)

    monkeypatch.setattr(import_run, "write_entry", dies_at_the_fourth)
    table = HEAD + "".join(f"Q{n}?,,,A.\n" for n in range(5))
    start_import(
        cora.actor,
        base_id=faq.pk,
        name="e.csv",
        content=io.BytesIO(table.encode()),
        mode=ImportMode.APPEND,
    )
    with pytest.raises(RuntimeError):
        import_run.run_import(_context(), import_id=FaqImport.objects.get().pk)
    row = FaqImport.objects.get()
    assert (row.done, questions()) == (2, ["Q0?", "Q1?"])
    import_run.run_import(_context(), import_id=row.pk)
    row.refresh_from_db()
    assert questions() == [f"Q{n}?" for n in range(5)]
    assert (counts(row), row.done) == ({"success": 5, "added": 5}, 5)


def _context() -> Any:
    class Context:
        cancelled = False

        def check(self) -> None: ...

        def check_lease(self) -> None: ...

    return Context()


def test_a_base_has_one_import_at_a_time(cora: Persona, faq: KnowledgeBase) -> None:
    table = io.BytesIO((HEAD + "Pay?,,,A.\n").encode())
    first = start_import(
        cora.actor, base_id=faq.pk, name="e.csv", content=table, mode=ImportMode.APPEND
    )
    with pytest.raises(Conflict):
        start_import(
            cora.actor, base_id=faq.pk, name="e.csv", content=table, mode=ImportMode.APPEND
        )
    stop_import(cora.actor, import_id=first.pk)
    assert not work("ingest") or not questions()
    assert counts(bring(cora, faq, table.getvalue())) == {"success": 1, "added": 1}


def test_who_may_not_edit_any_more_imports_nothing(cora: Persona, faq: KnowledgeBase) -> None:
    start_import(
        cora.actor,
        base_id=faq.pk,
        name="e.csv",
        content=io.BytesIO((HEAD + "Pay?,,,A.\n").encode()),
        mode=ImportMode.APPEND,
    )
    cora.membership.delete()
    index()
    row = FaqImport.objects.get()
    assert "can no longer edit" in row.reason
    assert questions() == []


def test_the_file_is_gone_when_the_import_is_done(cora: Persona, faq: KnowledgeBase) -> None:
    row = bring(cora, faq, HEAD + "Pay?,,,A.\n")
    with pytest.raises(FileNotFoundError):
        open_file(faq.space_id, row.content_hash, folder=IMPORT_FOLDER)


def test_the_failed_rows_come_back_mended_and_calculate_nothing(
    cora: Persona, faq: KnowledgeBase
) -> None:
    row = bring(cora, faq, HEAD + '=1+1,"one##two",,\nPay?,,,A.\n')
    text = failed_rows_csv(cora.actor, import_id=row.pk)
    (line,) = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    assert (line["Row"], line["Standard question"]) == ("2", "'=1+1")
    line["Answers"] = "Two."
    mended = io.StringIO()
    writer = csv.DictWriter(mended, line)
    writer.writeheader()
    writer.writerow(line)
    assert counts(bring(cora, faq, mended.getvalue())) == {"success": 1, "added": 1}
    assert questions() == ["Pay?", "=1+1"]


def test_a_viewer_imports_nothing(victor: Persona, faq: KnowledgeBase) -> None:
    with pytest.raises(AccessDenied):
        start_import(
            victor.actor,
            base_id=faq.pk,
            name="e.csv",
            content=io.BytesIO(b"x"),
            mode=ImportMode.APPEND,
        )


def test_a_file_that_is_too_large_is_refused(
    cora: Persona, faq: KnowledgeBase, settings: Any
) -> None:
    settings.MAX_UPLOAD_BYTES = 3
    with pytest.raises(TooLarge):
        start_import(
            cora.actor,
            base_id=faq.pk,
            name="e.csv",
            content=io.BytesIO(b"xxxx"),
            mode=ImportMode.APPEND,
        )


def test_the_panel_is_put_away(cora: Persona, faq: KnowledgeBase) -> None:
    row = bring(cora, faq, HEAD + "Pay?,,,A.\n")
    assert newest_import(cora.actor, faq.pk) == row
    close_import(cora.actor, import_id=row.pk)
    assert newest_import(cora.actor, faq.pk) is None


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        (b"one,two\n1,2\n", "e.csv", "headings"),
        (HEAD.encode(), "e.csv", "no entry"),
        (b'{"a": 1}', "e.json", "list"),
        (b"[" * 100, "e.json", "JSON"),
        (b"\x00\x01\x02\x03" * 50, "e.csv", ""),
    ],
)
def test_other_files_are_refused_with_words(content: bytes, name: str, says: str) -> None:
    with pytest.raises(Refused) as refusal:
        read_import(content, name)
    assert says.casefold() in refusal.value.message.casefold()


def test_json_is_read_and_a_wrong_object_is_one_failed_row() -> None:
    value = {"entries": [{"question": "Pay?", "answers": "A."}, 5, {"answers": [{}]}]}
    rows = read_import(json.dumps(value).encode(), "e.json")
    assert [bool(row.problem) for row in rows] == [False, True, True]
    assert (rows[0].draft.answers, rows[0].given) == (("A.",), frozenset())


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_what_is_exported_can_be_imported_as_it_was(
    cora: Persona, faq: KnowledgeBase, kind: str
) -> None:
    Tag.objects.create(space_id=faq.space_id, base=faq, name="Money")
    texts = {"similar_questions": ("C#", "=2"), "negative_questions": ("No##pe",)}
    make_entry(cora, faq, "Pay?", "## By\ncard", "-1", tag="Money", is_enabled=False, **texts)
    make_entry(cora, faq, "Who?", "We.", strategy=AnswerStrategy.RANDOM, is_recommended=False)
    target = io.BytesIO()
    write = export_csv if kind == "csv" else export_json
    assert write(cora.actor, target, base_id=faq.pk) == 2
    row = bring(cora, faq, target.getvalue(), name=f"e.{kind}")
    assert counts(row) == {"skipped": 2}


def test_an_excel_file_is_read() -> None:
    rows = read_import(_xlsx([["Question", "Answer"], ["Pay?", 5]]), "e.xlsx")
    assert [(row.number, row.draft.standard_question, row.draft.answers) for row in rows] == [
        (2, "Pay?", ("5",))
    ]


def _xlsx(rows: list[list[Any]]) -> bytes:
    """Make the smallest workbook that programs open."""
    import zipfile

    def cell(value: Any) -> str:
        if isinstance(value, int):
            return f"<c><v>{value}</v></c>"
        return f'<c t="inlineStr"><is><t>{value}</t></is></c>'

    lines = "".join("<row>" + "".join(map(cell, row)) + "</row>" for row in rows)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kinds}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1"'
        f' Type="{relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="rId1" Type="{relations}/worksheet" Target="worksheets/sheet1.xml"/>'
        "</Relationships>",
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets>'
        '<sheet name="FAQ" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{lines}</sheetData></worksheet>',
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + text)
    return target.getvalue()
