"""What other parts of this app may follow."""

from django.dispatch import Signal

run_finished = Signal()
"""A run is over and stored. Sent on commit, in its space's scope, with `run`, read anew together with
conversation, question, answer, agent and person. Receivers enqueue jobs; what they raise is logged
and does not touch the answer."""
