"""A question in other words, without a model: for searches that found nothing that surely answers."""

from __future__ import annotations

import re

from knowledge.text.analyze import analyze, fold

MOST_VARIANTS = 3
_QUOTED = re.compile(r"[“\"「『《]([^“”\"」』》]{2,80})[”\"」』》]")
_PARTS = re.compile(
    r"[,;，；、?？!！。]+|\s(?:and|or|but|as well as)\s|(?:以及|并且|並且|或者|还是|還是|および|または|그리고|또는)",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how|much|many|is|are|was|were|do|does|did|can|could"
    r"|please|tell|me|about|the|a|an)\b"
    r"|请问|請問|什么|什麼|哪些|哪个|哪個|哪里|哪裡|谁|誰|何时|何時|怎么|怎麼|怎样|怎樣|多少|如何|为什么|為什麼"
    r"|何ですか|ですか|でしょうか|いつ|どこ|誰が|무엇|언제|어디|누가|입니까|인가요",
    re.IGNORECASE,
)
_FEWEST_TERMS = 2


def variants_of(question: str) -> list[str]:
    """Return up to three other forms: its content words alone, what it quotes, its parts.

    A form whose terms are those of the question or of an earlier form is left out: it finds the same.
    """
    bare = " ".join(_ASKING.sub(" ", fold(question)).split()).strip(" ?？")
    quoted = [match.group(1) for match in _QUOTED.finditer(question)]
    parts = [part.strip() for part in _PARTS.split(question) if part.strip()]
    seen = {frozenset(analyze(question))}
    found: list[str] = []
    for form in (*quoted, bare, *(parts if len(parts) > 1 else [])):
        terms = frozenset(analyze(form))
        if len(terms) >= _FEWEST_TERMS and terms not in seen:
            seen.add(terms)
            found.append(form)
    return found[:MOST_VARIANTS]
