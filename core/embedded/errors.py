"""What can go wrong with the embedded services, said so that a person can mend it."""


class EmbeddedError(RuntimeError):
    """An embedded service could not be started, reached or stopped."""
