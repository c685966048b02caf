"""What the engine itself says: to people (may be translated) and to the model (fixed)."""

from __future__ import annotations

from dataclasses import dataclass

EMPTY_NUDGE = "Your last turn held no answer. Write your complete answer now, as plain text."
NO_TOOLS_NUDGE = (
    "There are no tools to call any more. Write your complete answer now, as plain text."
)
UNFINISHED_NUDGE = (
    "Your last turn ended before it was finished. Write the complete answer again, from its start."
)
TRY_OTHERWISE = "Read the error above and try a different way."
TRY_AGAIN_LATER = "The same call may work when you repeat it."


@dataclass(frozen=True, kw_only=True)
class EngineTexts:
    """Sentences for people. `{…}` fields are filled with `str.format`."""

    empty_answer: str = (
        "The model gave no answer, although it was asked again. Please rephrase the question "
        "or choose another model."
    )
    content_filter: str = "The model's provider filtered this answer, so it cannot be shown."
    content_filter_partly: str = (
        "The model's provider filtered this answer; what had come until then is shown."
    )
    found_so_far: str = "No answer was finished. What was found until then:"
    stopped: str = "Stopped on request."
    max_rounds: str = "The limit of {rounds} rounds was reached."
    run_timeout: str = "The time limit of {seconds:g} s was reached."
    repeated_call: str = (
        "The model asked for {name} with the same arguments {times} times and was stopped."
    )
    model_failed: str = "The model failed: {error}"
    answer_from_results: str = "The answer was written from the results found so far. {why}"
    answer_cut: str = "The answer was cut at the model's output limit."
    answer_unfinished: str = "The model did not say that its answer is complete."
    same_text_twice: str = "The model gave the same unfinished text twice; it stands as the answer."
    calls_cut: str = "Tool calls that were cut off in the middle were not run."
    too_many_calls: str = "Only the first {allowed} of {asked} tool calls were run."
    results_shortened: str = "Long tool results were shortened to fit the model's window."
    summary_failed: str = "Older messages could not be summarised and were kept in short raw form."
    internal_error: str = "An internal error ended this run; it was logged."
    call_rejected: str = "A person rejected this call."
    call_expired: str = "Nobody decided about this call in time."
    outcome_unknown: str = (
        "This call was begun before an interruption, and whether it had its effect is unknown."
    )


@dataclass(frozen=True, kw_only=True)
class EnginePrompts:
    """Longer instructions for the model, from the prompt files."""

    synthesis: str
    """How to write the answer from the results when no further round is possible."""
    summary: str
    """How to summarise older messages."""
    summary_update: str
    """How to update an earlier summary with newer messages."""
