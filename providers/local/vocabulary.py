"""Writes the unigram tokenizer of the weight file in the form that the tokenizers package reads."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from providers.local.weights import Vocabulary


def write_tokenizer(vocabulary: Vocabulary, path: Path) -> None:
    """Write `tokenizer.json`: NFKC, collapsed spaces, unigram pieces, <s> and </s> around a text."""
    model = models.Unigram(
        list(vocabulary.pieces), unk_id=vocabulary.unknown_id, byte_fallback=False
    )
    tokenizer = Tokenizer(model)
    collapse = normalizers.Replace(Regex(" {2,}"), " ")
    tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), collapse])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        special_tokens=[("<s>", vocabulary.begin_id), ("</s>", vocabulary.end_id)],
    )
    tokenizer.save(str(path), pretty=False)
