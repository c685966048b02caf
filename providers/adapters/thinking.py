"""How the services let one ask for or against a reasoning phase. They do not agree."""

from __future__ import annotations

from typing import Any, Literal, assert_never

ThinkingStyle = Literal[
    "none",
    "reasoning_effort",
    "enable_thinking",
    "thinking_type",
    "chat_template_kwargs",
    "reasoning_object",
]


def thinking_fields(style: ThinkingStyle, *, wanted: bool | None, effort: str) -> dict[str, Any]:
    """Return what goes into the request's body; nothing when the model's default should hold."""
    if wanted is None:
        return {}
    match style:
        case "none":
            return {}
        case "reasoning_effort":  # OpenAI
            return {"reasoning_effort": effort if wanted else "none"}
        case "enable_thinking":  # Qwen on DashScope
            return {"enable_thinking": wanted}
        case "thinking_type":  # DeepSeek, Zhipu, Volcengine, Moonshot
            return {"thinking": {"type": "enabled" if wanted else "disabled"}}
        case "chat_template_kwargs":  # vLLM, SGLang
            return {"chat_template_kwargs": {"enable_thinking": wanted}}
        case "reasoning_object":  # OpenRouter
            return {"reasoning": {"enabled": wanted}}
        case _:
            assert_never(style)
