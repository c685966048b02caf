"""How Markdown tokens are written as HTML; static/js/markdown.js writes the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from django.utils.translation import gettext
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

_LANGUAGE = re.compile(r"[\w+#.-]{1,30}", re.ASCII)
_ALIGNMENT = {"text-align:center": "to-center", "text-align:right": "to-end"}
_REL = "noopener noreferrer"


class PageRenderer(RendererHTML):
    """Writes tokens as the HTML of our pages. Each method is the rule for the token of its name."""

    def cite(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Link a citation to the card of its source."""
        number = tokens[idx].content
        label = escapeHtml(gettext("Source {number}").format(number=number))
        target = escapeHtml(f"#src-{env.get('run_id', '')}-{number}")
        return f'<a class="cite" href="{target}" data-cite="{number}" aria-label="{label}">{number}</a>'

    def link_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Tell linked pages nothing about where they were linked."""
        tokens[idx].attrSet("rel", _REL)
        return self.renderToken(tokens, idx, options, env)

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Show our own pictures; link those of other hosts instead of loading them."""
        token = tokens[idx]
        source = str(token.attrGet("src") or "")
        words = self.renderInlineAsText(token.children or [], options, env)
        if source.startswith("/") and not source.startswith("//"):
            return f'<img src="{escapeHtml(source)}" alt="{escapeHtml(words)}" loading="lazy">'
        return f'<a href="{escapeHtml(source)}" rel="{_REL}">{escapeHtml(words or source)}</a>'

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Frame code with its language and a button that copies it."""
        info = tokens[idx].info.split(maxsplit=1)
        language = info[0] if info and _LANGUAGE.fullmatch(info[0]) else "text"
        copy = escapeHtml(gettext("Copy"))
        return (
            f'<div class="code" data-lang="{language}"><header><span>{language}</span>'
            f'<button type="button" class="btn btn-ghost btn-sm" data-copy>{copy}</button></header>'
            f'<pre tabindex="0"><code class="language-{language}">'
            f"{escapeHtml(tokens[idx].content)}</code></pre></div>\n"
        )

    code_block = fence

    def table_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Let a wide table scroll in its own named, focusable frame."""
        label = escapeHtml(gettext("Table"))
        return f'<div class="table-wrap" tabindex="0" role="group" aria-label="{label}"><table>\n'

    def table_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Close the table and its frame."""
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Give a head its scope; an empty one says nothing to a screen reader, so it is a cell."""
        if tokens[idx + 1].content.strip():
            tokens[idx].attrSet("scope", "col")
        else:
            tokens[idx].tag = tokens[idx + 2].tag = "td"
        return self.td_open(tokens, idx, options, env)

    def td_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Write alignment as a class: the pages' policy forbids style attributes."""
        css_class = _ALIGNMENT.get(str(tokens[idx].attrs.pop("style", "")))
        if css_class is not None:
            tokens[idx].attrSet("class", css_class)
        return self.renderToken(tokens, idx, options, env)
