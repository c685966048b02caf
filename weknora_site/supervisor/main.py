"""`manage.py start`: services, migrations, first start, then all processes under one supervisor.

Order: options → data directory, lock, port → embedded services → `manage.py prepare` (a failed
migration ends it here) → the programs → the address, once /health/ready says 200.
"""

from __future__ import annotations

import os
import time
import traceback

from core.embedded.errors import EmbeddedError
from core.embedded.ports import is_free, settle_port
from core.embedded.secrets_file import InstallationSecrets, ensure_secrets
from core.embedded.services import ServiceLease
from weknora_site.supervisor.image import SettingsUnusable, load
from weknora_site.supervisor.lock import AlreadyRuns, RunLock
from weknora_site.supervisor.options import Options, UsageError, environment, parse
from weknora_site.supervisor.output import Log
from weknora_site.supervisor.port import holder_of
from weknora_site.supervisor.program import prepare_program, programs
from weknora_site.supervisor.readiness import Probe
from weknora_site.supervisor.supervisor import Supervisor

PATIENCE_SECONDS = 45.0
"""After this long without readiness the reasons are shown."""


class Refused(Exception):
    """It cannot start; says why and what to do."""


class Start:
    """One run of the start command."""

    def __init__(self, options: Options, *, log: Log) -> None:
        self._options = options
        self._log = log
        self._lock = RunLock(options.layout)
        self._lease = ServiceLease(options.layout) if options.embedded_needed else None
        self._models_port = 0
        self._secrets: InstallationSecrets | None = None
        self._began = time.monotonic()
        self._probe: Probe | None = None
        self._told_ready = False
        self._told_reasons = False
        self._supervisor = Supervisor(
            log=log,
            environment=environment(options),
            each_second=self._each_second,
            let_go=self._let_go,
        )

    def run(self) -> int:
        """Start everything and look after it until the end; return the exit code.

        Raises:
            Refused: it cannot start.
        """
        self._supervisor.listen_to_signals()
        self._take_place()
        try:
            self._start_services()
            found = programs(
                models_port=self._models_port,
                models_key=self._known_secrets().local_model_key,
                data_dir=str(self._options.layout.data_dir),
            )
            wanted = [found[name] for name in self._options.parts]
            forks = [program for program in wanted if program.entry is not None]
            # These need no database: they load while the code is loaded here.
            for program in wanted:
                if program.entry is None:
                    self._supervisor.begin(program)
            if forks:
                self._load()
            if self._options.prepares:
                self._prepare(forked=bool(forks))
            if self._supervisor.asked_to_end:
                return 0
            return self._supervisor.run(forks)
        finally:
            self._supervisor.end_all()
            self._leave()

    def _take_place(self) -> None:
        options = self._options
        options.layout.create()
        if "web" not in options.parts:
            return
        try:
            self._lock.take(url=options.url)
        except AlreadyRuns as error:
            raise Refused(str(error)) from None
        if not is_free(options.port, host=options.host):
            self._lock.give_back()
            raise Refused(
                f"port {options.port} on {options.host} is taken by {holder_of(options.port)}: "
                f"end that program, or choose another port, as in "
                f"`WEKNORA_PORT={options.port + 1} make run`"
            )

    def _start_services(self) -> None:
        layout = self._options.layout
        self._secrets = ensure_secrets(layout.secrets_file)
        if self._lease is not None:
            self._log.say(f"starting the database and the broker in {layout.root}")
            try:
                self._lease.acquire()
            except EmbeddedError as error:
                raise Refused(str(error)) from None
        if "models" in self._options.parts:
            self._models_port = settle_port(layout.ports_file, "models")

    def _known_secrets(self) -> InstallationSecrets:
        if self._secrets is None:
            raise RuntimeError("the secrets are made before they are used")
        return self._secrets

    def _load(self) -> None:
        """Load the product's code, for the forks."""
        try:
            load(environment(self._options))
        except SettingsUnusable as error:
            raise Refused(str(error)) from None
        except Exception as error:  # noqa: BLE001  any module of the product may raise anything
            self._log.say(traceback.format_exc())
            raise Refused(f"the code cannot be loaded: {error}") from None

    def _prepare(self, *, forked: bool) -> None:
        """Migrate and seed in a process of its own, whose memory is then given back."""
        code = self._supervisor.run_once(prepare_program(forked=forked))
        if code:
            raise Refused("the database could not be prepared, see above; nothing was started")

    def _each_second(self) -> None:
        """Keep the embedded services alive and tell once when all is ready."""
        if self._lease is not None:
            try:
                self._lease.ensure_running()
            except EmbeddedError as error:
                self._log.say(str(error))
        if not self._told_ready:
            self._look_whether_ready()

    def _look_whether_ready(self) -> None:
        """Ask, unless a question is under way; the answer comes in `_hear_answer`."""
        options = self._options
        if self._probe is not None:
            if self._probe.is_too_old:
                self._drop_probe()
            return
        try:
            if "web" in options.parts:
                self._probe = Probe(options.host, options.port, "/health/ready")
            elif "models" in options.parts:
                key = self._known_secrets().local_model_key
                self._probe = Probe("127.0.0.1", self._models_port, "/health", key=key)
            else:
                self._tell_ready()
                return
        except OSError:
            return
        self._supervisor.watch(self._probe, self._hear_answer)

    def _hear_answer(self) -> None:
        answer = self._probe.read() if self._probe is not None else None
        if answer is None:
            return
        self._drop_probe()
        waited = time.monotonic() - self._began
        if answer.ready:
            self._tell_ready()
        elif answer.reasons and waited > PATIENCE_SECONDS and not self._told_reasons:
            self._told_reasons = True
            self._log.say("not ready yet:\n" + "\n".join(answer.reasons))

    def _drop_probe(self) -> None:
        if self._probe is not None:
            self._supervisor.unwatch(self._probe)
            self._probe.close()
            self._probe = None

    def _tell_ready(self) -> None:
        self._told_ready = True
        if "web" in self._options.parts:
            took = time.monotonic() - self._began
            self._log.say(f"ready after {took:.1f} s: open {self._options.url}  (Ctrl-C ends it)")
        if self._options.ready_descriptor is not None:
            os.write(self._options.ready_descriptor, b"1")
            os.close(self._options.ready_descriptor)

    def _let_go(self) -> None:
        """Close, in a fork, the locks and connections that are ours: it must not prolong them."""
        if self._lease is not None:
            self._lease.release(wait=False)
        if self._probe is not None:
            self._probe.close()
        if self._options.ready_descriptor is not None and not self._told_ready:
            os.close(self._options.ready_descriptor)
        self._lock.let_go()

    def _leave(self) -> None:
        if self._lease is not None:
            self._lease.release()
        self._lock.give_back()
        self._log.say("ended")


def main(arguments: list[str]) -> int:
    """Run the start command; return its exit code: 0 ended as asked, 1 failed, 2 wrong usage."""
    log = Log()
    try:
        return Start(parse(arguments), log=log).run()
    except UsageError as error:
        log.say(f"error: {error}")
        return 2
    except Refused as error:
        log.say(f"error: {error}")
        return 1
