"""Where the embedded services keep their files below the data directory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

REPOSITORY_DIR = Path(__file__).resolve().parent.parent.parent


def default_data_dir(environment: str | None) -> Path:
    """Return the data directory: the value of WEKNORA_DATA_DIR, or `var` in the repository."""
    return Path(environment).expanduser().resolve() if environment else REPOSITORY_DIR / "var"


@dataclass(frozen=True)
class Layout:
    """The paths of one installation's embedded services."""

    data_dir: Path

    @property
    def root(self) -> Path:
        """Everything of the embedded services but secrets and logs."""
        return self.data_dir / "embedded"

    @property
    def postgres_data(self) -> Path:
        return self.root / "postgres"

    @property
    def valkey_data(self) -> Path:
        return self.root / "valkey"

    @property
    def users_lock(self) -> Path:
        """Held shared by every process that uses the services; the last one to leave ends them."""
        return self.root / "users.lock"

    @property
    def keeper_lock(self) -> Path:
        """Held by the one process that runs the servers."""
        return self.root / "keeper.lock"

    @property
    def state_file(self) -> Path:
        """What the keeper says about itself: ready with ports, or failed with a reason."""
        return self.root / "state.json"

    @property
    def ports_file(self) -> Path:
        return self.root / "ports.json"

    @property
    def binaries_file(self) -> Path:
        """Where a private copy of the server binaries lies, when one was needed."""
        return self.root / "binaries.json"

    @property
    def secrets_file(self) -> Path:
        return self.data_dir / "secrets.json"

    @property
    def log_dir(self) -> Path:
        return self.data_dir / "log"

    def create(self) -> None:
        """Make the directories; what lies in `root` is nobody else's business."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        self.root.mkdir(mode=0o700, exist_ok=True)
        self.log_dir.mkdir(mode=0o700, exist_ok=True)
