"""Every error the engine raises on purpose.

* EngineError
  * ToolFailed            a failure the model reads and works around
  * ToolDefinitionError   a tool is written wrongly; raised when it is defined, never in a run
  * DecisionRefused       a decision does not fit a waiting call
  * CallRefused           the gate (a budget) allows no further call of the model
  * RunCancelled          the cancel token fired; the loop turns it into a stopped run
  * RunInterrupted        this worker must let go; no `RunFinished`, the state stays resumable
"""

from __future__ import annotations


class EngineError(Exception):
    """A failure inside of the engine."""


class ToolFailed(EngineError):
    """A tool could not do what it was asked; the message is written for the model.

    `retry` says that the very same call may work later, so that the model is not sent off to
    another way for a hiccup. The message must hold no secrets: the model and people read it.
    """

    def __init__(self, message: str, *, code: str = "failed", retry: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.retry = retry


class ToolDefinitionError(EngineError):
    """A function cannot be a tool as it is written."""


class DecisionRefused(EngineError):
    """A decision names no waiting call, another call, or one that is decided already."""


class CallRefused(EngineError):
    """The gate allows no further call of the model; the message is written for people."""


class RunCancelled(EngineError):
    """The run was stopped by its cancel token while something was awaited."""


class RunInterrupted(EngineError):
    """Raised by a hook (journal, policy, gate) when this worker may not go on.

    The loop lets it through without `RunFinished`: the run is not over, only this worker's part
    in it (a lost lease, a shutdown, a database that is away).
    """
