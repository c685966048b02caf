"""What is sent to the model: the state's messages, completed, repaired and with aliases."""

from __future__ import annotations

from agents.engine.history import sanitise
from agents.engine.pictures import ask_for_pictures
from agents.engine.run_context import RunContext
from providers.contracts.chat import ChatMessage


def outgoing_messages(run: RunContext) -> list[ChatMessage]:
    """Return the conversation for the next call.

    The runtime context goes with the question and is no part of the messages: it describes this
    turn only and would mislead later ones.
    """
    state = run.state
    messages = list(state.messages)
    if state.runtime_context and 0 <= state.question_at < len(messages):
        question = messages[state.question_at]
        content = f"{question.content}\n\n{state.runtime_context}"
        messages[state.question_at] = question.model_copy(update={"content": content})
    if state.has_pictures:
        messages = ask_for_pictures(messages)
    return state.aliases.encode_messages(sanitise(messages))
