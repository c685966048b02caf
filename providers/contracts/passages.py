"""The words around passages in a prompt that a model without language understanding relies on.

Who writes prompts uses these texts, and the built-in answerer recognises them. Pure Python.

A passage is written as

    <passage id="c1" document="d1" name="tatr.pdf" page="3" heading="4. Proposed Model">
    text, with &lt; &gt; &amp; escaped
    </passage>

where `page` and `heading` may be missing, and is cited as [c1]. A question that stands among other
things is either tagged, <question>…</question>, or comes before the first block or behind the last.
"""

from __future__ import annotations

UNSURE_NOTE = "Note: no passage answers the question for certain; say so unless one clearly does."
OTHER_LANGUAGE_NOTE = "Note: these passages are in another language than the question."
NO_PASSAGES = "The knowledge bases hold nothing about this question. Say so."
SUMMARY_OPEN = "<conversation_summary>"
REPEAT_ADVICE = "The same call may work when you repeat it."
OTHERWISE_ADVICE = "Read the error above and try a different way."
