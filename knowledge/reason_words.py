"""The sentences that reading a document writes down, as translators have them.

Parsers and jobs write in English: they know no reader. `knowledge.stored_reasons` finds the sentence
here again and tells it in the reader's language, so that each of them must stand here.
"""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

_PARSERS: tuple[str, ...] = (
    _("%(n)s hidden slides were left out."),
    _("%(n)s links to other places were left out: they hold no content."),
    _("%(name)s in the archive is damaged. Pack it anew."),
    _("Hidden slides were left out: %(n)s."),
    _("Macros are present and were ignored."),
    _("Only the first %(first)s of %(n)s pages were read by OCR."),
    _("Only the first %(first)s of %(n)s rows of %(name)s became text."),
    _("Only the first %(rows)s rows and %(columns)s columns became text."),
    _(
        "Some characters could not be read: the file looks like %(encoding)s but has bytes that do"
        " not fit it. Save it as UTF-8."
    ),
    _("Text that Word does not show was left out."),
    _("Text that is not shown was left out."),
    _("Text that nobody can see was left out: %(pages)s."),
    _("The EPUB does not name its parts. Save it anew."),
    _("The EPUB has no table of its parts. Save it anew."),
    _("The JSON is nested too deeply to be read."),
    _("The OpenDocument file has no content. Save it anew."),
    _("The PDF cannot be opened: it is damaged or cut off. Save it anew."),
    _("The PDF says it has %(n)s pages; at most %(most)s are read. Split it."),
    _("The Word file has no document in it. Save it anew in Word."),
    _("The Word file's text cannot be found. Save it anew in Word."),
    _("The book is copy-protected and cannot be read. Use a copy without it."),
    _("The file has %(n)s pages; at most %(most)s are read. Split it."),
    _("The file has more than %(most)s parts."),
    _("The file is a damaged ZIP container. Save it again and upload the new copy."),
    _("The file is a damaged container. Open it in its program and save it anew."),
    _(
        "The file is called .%(extension)s but holds no %(type)s data. It may be damaged, or a text"
        " with the wrong name: rename it to .txt to read it as text."
    ),
    _("The file is called .%(extension)s but is %(type)s; it was read as %(same)s."),
    _("The file is no e-mail message. Save it anew."),
    _("The file is protected with a password. Enter the password, or upload a copy without one."),
    _("The file was made before Word 97. Save it as DOCX and upload that."),
    _("The message has more than %(most)s parts."),
    _("The mind map cannot be opened. Save it anew in XMind."),
    _("The picture cannot be opened. Save it anew."),
    _("The saved page has no page in it. Save it again."),
    _("The sheet %(name)s is damaged and was left out."),
    _("The sheet %(name)s is hidden and was left out."),
    _("The slides cannot be found in the file. Save it anew in PowerPoint."),
    _("The slides cannot be opened: the file is damaged. Save it anew."),
    _("The table cannot be opened: it is damaged. Save it anew in its program."),
    _("The table is protected with a password. Remove the password and upload it again."),
    _("There are no files in this archive."),
    _(
        "This archive in another archive holds nothing but archives. Unpack it and upload what is in it."
    ),
    _(
        "This file holds binary data although it is called .%(extension)s. No text can be read from it."
    ),
    _("This file holds binary data. No text can be read from it."),
    _("This is %(what)s although it is called .%(extension)s. No text can be read from it."),
    _("This is %(what)s. No text can be read from it."),
    _("This is an Office container that is neither a document, a table nor slides."),
    _("This is an old Office container of a kind that is not read. Save it as PDF."),
    _("This is no valid JSON (line %(line)s: %(detail)s); it was read as text."),
    _("Without headings and tables, as plain text: %(pages)s."),
    _("A part of the file is damaged. Open it in its program and save it anew."),
)
_PARTS: tuple[str, ...] = (
    _("a 7z archive; unpack it first"),
    _("a RAR archive; unpack it first"),
    _("a Windows program"),
    _("a bzip2 archive; unpack it first"),
    _("a database"),
    _("a gzip archive; unpack it first"),
    _("a program"),
    _("a video"),
    _("page %(numbers)s"),
    _("pages %(numbers)s"),
    _("pages %(numbers)s and %(n)s more"),
    _("The engine “%(engine)s”"),
)
"""What stands in the middle of other sentences."""
ENGINE_LABELS: tuple[str, ...] = (
    _("As an outline"),
    _("As it is"),
    _("As one table"),
    _("As plain text"),
    _("As tables"),
    _("By OCR"),
    _("Files of the archive"),
    _("Own reader"),
    _("Speech to text"),
    _("Text of pictures"),
    _("The article of the page"),
    _("The whole page"),
    _("Topics as lists"),
    _("With headings and tables"),
    _("With layout and tables"),
)
"""What the engines are called: see `label` of the parsers."""
TYPE_LABELS: tuple[str, ...] = (
    _("BMP picture"),
    _("CSV table"),
    _("E-mail"),
    _("Excel, binary"),
    _("FLAC recording"),
    _("GIF picture"),
    _("JPEG picture"),
    _("M4A recording"),
    _("MP3 recording"),
    _("Mind map"),
    _("OGG recording"),
    _("OpenDocument slides"),
    _("OpenDocument table"),
    _("OpenDocument text"),
    _("Outlook message"),
    _("PNG picture"),
    _("Plain text"),
    _("Rich text"),
    _("Saved web page"),
    _("TIFF picture"),
    _("WAV recording"),
    _("Web page"),
    _("WebM recording"),
    _("WebP picture"),
    _("ZIP archive"),
)
"""What types of files are called, as far as it is no name: see `knowledge.parsers.filetypes`."""
_GATES: tuple[str, ...] = (
    _("A part of the file has a name that leads outside of it. Save it anew."),
    _(
        "A part of the file defines entities, which documents never need and attacks do. Open it in"
        " its program and save it anew."
    ),
    _(
        "A sheet of the table stretches over too many cells. Delete the empty rows and columns"
        " behind the data, or split the sheet."
    ),
    _("The JSON is nested so deeply that no program could show it. Save it anew or as PDF."),
    _("The archive is encrypted in a way that is not read (AES). Unpack it and upload the files."),
    _("The archive unpacks to too much data. Split it."),
    _("The document is nested so deeply that no program could show it. Save it anew or as PDF."),
    _("The file has %(n)s MB; at most %(most)s MB are read. Split it into parts."),
    _("The file is empty (0 bytes). Upload it again."),
    _("The file is packed in an unusual way. Open it in its program and save it."),
    _("The file is protected with a password. Remove it and upload it again."),
    _(
        "The file name is empty, leads outside of its folder or holds a NUL character. Rename the"
        " file."
    ),
    _(
        "The file unpacks to far more data than a document holds. If it is an honest file, remove"
        " large pictures or split it."
    ),
    _("The page is nested so deeply that no program could show it. Save it anew or as PDF."),
    _("The password does not open the file. Enter it again, or upload a copy without one."),
    _(
        "The picture has %(width)s × %(height)s pixels; at most %(most)s million are read. Make it"
        " smaller."
    ),
    _("The picture has no readable header. Save it anew."),
    _("The table has more than %(most)s sheets, which are not read. Split it."),
)
_READING: tuple[str, ...] = (
    _("%(engine)s did not read this file: %(reason)s"),
    _("%(engine)s failed on this file and was given up."),
    _("An unexpected error stopped it; the log of the worker has details."),
    _("Files deeper than %(most)s archives in each other were left out."),
    _("It was read by another engine: %(engine)s."),
    _(
        "Left out, because they are too large or too many, or their names cannot be kept: %(names)s"
        " and %(n)s more. Unpack the file and upload them by themselves."
    ),
    _(
        "Left out, because they are too large or too many, or their names cannot be kept: %(names)s."
        " Unpack the file and upload them by themselves."
    ),
    _("No engine can read this file. Save it as PDF."),
    _("No text was found in this %(type)s file. Check that it opens and shows text elsewhere."),
    _(
        "No text was found in this file, and none on its pictures. If it is a scan, scan it again"
        " at 200 dpi or more."
    ),
    _("No text was found in this file, so nothing can be found in it."),
    _("No words were heard in this recording. Check that it plays elsewhere."),
    _("Page %(page)s of the PDF cannot be drawn."),
    _("Reading the picture took too long and was stopped."),
    _("Reading this file takes more memory than one file may use. Split it into parts."),
    _(
        "Reading this file took longer than %(n)s seconds and was stopped. Split it into parts or"
        " save it anew."
    ),
    _("The file holds more text than one document may have. Split it into parts."),
    _("The file makes its parser fail, so it is probably damaged. Save it anew or as PDF."),
    _(
        "Vectors of %(n)s numbers cannot be indexed; %(most)s are the most. They are searched"
        " exactly."
    ),
)
_JOBS: tuple[str, ...] = (
    _("%(reason)s It is tried again automatically."),
    _("%(reason)s The document waits and is scanned automatically."),
    _("%(reason)s Try again later."),
    _("Another worker took the job over."),
    _("Canceled."),
    _(
        "For %(n)s passages the model gave nothing that can be used. Read the document again, or choose another model."
    ),
    _("It took longer than its time limit."),
    _("Its job failed."),
    _("Its job was stopped."),
    _("Its job was stopped. %(reason)s"),
    _("The job is no longer running."),
    _("The embedding model failed: %(reason)s"),
    _("The embedding model of the knowledge base is being changed."),
    _("The model failed: %(reason)s"),
    _("The speech model rejected it: %(reason)s"),
    _("The worker ended %(n)s times while it did this; it is not tried again."),
)
_SOURCES: tuple[str, ...] = (
    _(
        "The address answered %(status)s: it is not open to everybody. Download the page or file yourself and upload it."
    ),
    _("The address answered %(status)s: there is no content. Check it."),
    _("The address answered with error %(status)s."),
    _("The address gives over %(limit)s MB."),
    _(
        "The page has next to no text (%(n)s characters); perhaps a script creates it in the browser. Print it to PDF and upload that."
    ),
    _("The page only says: “%(text)s”. Check the address."),
    _(
        "The recording has over %(limit)s MB, more than speech models take. Cut it, or save it with a lower bit rate."
    ),
    _(
        "The setting “%(name)s” of this document cannot be used: %(detail)s. Change the document’s settings, then read it again."
    ),
    _("The virus scanner did not scan the file: %(answer)s"),
    _(
        "The virus scanner found “%(virus)s” in it. The file is not kept; nothing of it was read. Clean it, and upload it again."
    ),
)
_ENTRIES: tuple[str, ...] = (
    _("Entry %(n)s already asks “%(question)s”: “%(other)s”."),
    _("No headings were found. %(reason)s"),
    _("The file has %(n)s entries; at most %(most)s are imported at once. Split it."),
    _("The knowledge base has %(most)s tags and can have no more: “%(name)s” is new."),
    _("There is no entry in this file. %(reason)s"),
    _("These are %(n)s answers; an entry has at most %(most)s."),
    _("These are %(n)s negative questions; an entry has at most %(most)s."),
    _("These are %(n)s similar questions; an entry has at most %(most)s."),
    _("This is not JSON: %(detail)s."),
    _("With what entry %(n)s says already: %(reason)s"),
    _("“%(question)s” is a question of this entry; it cannot be a negative one, too."),
    _("“%(question)s” is here twice, the other time as “%(other)s”."),
    _("“%(question)s” is the standard question itself."),
    _("“%(text)s…” has %(n)s characters; it may have at most %(most)s."),
)
REASONS = (*_PARSERS, *_PARTS, *_GATES, *_READING, *_JOBS, *_SOURCES, *_ENTRIES)
