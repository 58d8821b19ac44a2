"""The zygote: initialises one office, then forks a kit for each document. A program: `python -m engines.zygote`.

One thread, one poll loop, no locks. The office is owned by the main thread, which is also the one that forks. It is
ready as soon as the office is initialised; what makes later documents faster (warming up, the spare kit) is done in
small steps whenever nothing is asked of it.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import sys
import time
from dataclasses import dataclass
from typing import NoReturn

from engines import kit, process, sandbox
from engines.channel import Channel, adopt, pair
from engines.errors import EngineError
from engines.office import Office, load
from engines.protocol import Convert, Exited, Init, Ready

_WAIT_MS = 60_000
_QUIET_MS = 100
"""How long nothing must have been asked before a warm-up step, which may take a third of a second, is begun."""


@dataclass(frozen=True, slots=True)
class _Kit:
    """A forked child: its process, and our end of the channel by which it gets its document."""

    pid: int
    pidfd: int
    channel: Channel

    def kill(self) -> None:
        """Kill its whole process group. The kit cannot have been reaped yet, so the number is still its own."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            os.kill(self.pid, signal.SIGKILL)  # it has not reached setsid yet

    def close(self) -> None:
        os.close(self.pidfd)
        self.channel.close()


@dataclass(frozen=True, slots=True)
class _Job:
    """A document that a kit is at work on; `channel` is the job socket, whose other end the parent holds."""

    kit: _Kit
    channel: Channel


class Zygote:
    """The poll loop and what it watches."""

    def __init__(self, office: Office, control: Channel, *, spare: bool, network_namespace: bool = False) -> None:
        self._office = office
        self._control = control
        self._keep_spare = spare
        self._network_namespace = network_namespace
        self._spare: _Kit | None = None
        self._spare_died = False
        self._jobs: dict[int, _Job] = {}
        self._warm = False
        self._poll = select.poll()
        self._poll.register(control.fileno(), select.POLLIN)

    def run(self) -> None:
        """Serve until the parent goes."""
        while True:
            events = self._poll.poll(self._patience_ms())
            if not events:
                self._do_idle_work()
            told = {descriptor for descriptor, _event in events}
            # The control socket last: what comes by it may get the number of a descriptor that is settled before.
            for descriptor in told - {self._control.fileno()}:
                self._on_event(descriptor)
            if self._control.fileno() in told and not self._on_control():
                return

    def end(self) -> None:
        """Kill and reap every kit, and let the office clear up."""
        children = {job.kit.pid: job.kit for job in self._jobs.values()}
        if self._spare:
            children[self._spare.pid] = self._spare
        for child in children.values():
            child.kill()
            os.waitpid(child.pid, 0)
            self._office.kit_gone(child.pid)
        self._office.close()

    def _patience_ms(self) -> int:
        """How long to wait for something to do before idle work is taken up."""
        if not self._warm:
            return _QUIET_MS
        return 0 if self._wants_spare() else _WAIT_MS

    def _wants_spare(self) -> bool:
        """One that died while it waited is replaced when a document has shown that kits live: else it might go on."""
        return self._keep_spare and self._spare is None and not self._spare_died

    def _do_idle_work(self) -> None:
        if not self._warm:
            self._warm = not self._office.warm_up()
            if self._warm:
                # What is alive now stays: keep the collector from touching it, which would copy its pages in each kit.
                gc.collect()
                gc.freeze()
        elif self._wants_spare():
            try:
                self._spare = self._fork()
            except (OSError, EngineError):
                self._spare_died = True  # the next document tries again, and is told; others are at work meanwhile
            else:
                self._poll.register(self._spare.pidfd, select.POLLIN)

    def _on_control(self) -> bool:
        frame = self._control.receive()
        if not isinstance(frame, Convert):
            return False
        descriptors = self._control.take_descriptors(3)
        self._dispatch(frame, descriptors)
        return True

    def _dispatch(self, request: Convert, descriptors: list[int]) -> None:
        self._spare_died = False
        job_fd, *blobs = descriptors
        channel = adopt(job_fd)
        try:
            child = self._hand_over(request, descriptors)
        except (OSError, EngineError) as error:
            _refuse(channel, error)
            return
        finally:
            for blob in blobs:
                os.close(blob)
        job = _Job(child, channel)
        self._jobs[child.pidfd] = job
        self._jobs[job_fd] = job
        self._poll.register(child.pidfd, select.POLLIN)
        # Never POLLIN: what the parent sends on the job socket is nothing; its end being shut is what counts.
        self._poll.register(job_fd, select.POLLRDHUP)

    def _hand_over(self, request: Convert, descriptors: list[int]) -> _Kit:
        spare, self._spare = self._spare, None
        if spare:
            try:
                spare.channel.send(request, tuple(descriptors))
            except OSError:  # somebody killed it a moment ago
                self._bury(spare)
            else:
                return spare
        child = self._fork()
        try:
            child.channel.send(request, tuple(descriptors))
        except OSError:  # it died at once
            child.kill()
            self._reap(child)
            raise
        return child

    def _bury(self, spare: _Kit) -> None:
        """A kit ended before it had a document."""
        self._poll.unregister(spare.pidfd)
        self._reap(spare)

    def _reap(self, child: _Kit) -> None:
        os.waitpid(child.pid, 0)
        self._office.kit_gone(child.pid)
        child.close()

    def _on_event(self, descriptor: int) -> None:
        if self._spare and descriptor == self._spare.pidfd:
            spare, self._spare, self._spare_died = self._spare, None, True
            self._bury(spare)
            return
        job = self._jobs.get(descriptor)
        if job is None:
            return  # settled by the other descriptor in this round
        if descriptor != job.kit.pidfd:
            self._poll.unregister(descriptor)
            job.kit.kill()
            return
        self._settle(job)

    def _settle(self, job: _Job) -> None:
        _pid, status, usage = os.wait4(job.kit.pid, 0)
        self._office.kit_gone(job.kit.pid)
        for descriptor in (job.kit.pidfd, job.channel.fileno()):
            self._jobs.pop(descriptor, None)
            try:
                self._poll.unregister(descriptor)
            except KeyError:
                continue
        try:
            code = os.waitstatus_to_exitcode(status)
            job.channel.send(Exited(code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024))
        except OSError:
            pass  # the parent does not wait for it any more
        job.kit.close()
        job.channel.close()

    def _fork(self) -> _Kit:
        """Raises `OSError` where the system gives no process, `EngineError` where the office cannot be copied."""
        ours, theirs = pair()
        zygote = os.getpid()
        with theirs:
            try:
                with self._office.quiesce():
                    pid = os.fork()
                if pid == 0:
                    self._become_kit(zygote, ours, theirs)
                return _Kit(pid, _watched(pid), ours)
            except (OSError, EngineError):
                ours.close()
                raise

    def _become_kit(self, zygote: int, ours: Channel, theirs: socket.socket) -> NoReturn:
        try:
            os.setsid()
            process.die_with_parent(zygote)
            process.set_name("docpeek-kit")
            self._office.after_fork()
            ours.close()
            self._control.close()
            for job in set(self._jobs.values()):
                job.channel.close()
                job.kit.close()
            # Here, not when the document comes, so that a spare kit has it behind it.
            if policy := self._office.sandbox_policy():
                sandbox.enter(policy, network_namespace=self._network_namespace)
            kit.serve_forked(self._office, theirs.detach())
        finally:
            os._exit(1)


def _watched(pid: int) -> int:
    """A descriptor of a child, without which it cannot be watched and must not live."""
    try:
        return os.pidfd_open(pid)
    except OSError:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise


def _refuse(channel: Channel, error: Exception) -> None:
    """Tell the parent that there is no kit for its document."""
    with contextlib.suppress(OSError):  # it does not wait for it any more
        channel.send(kit.failed(error))
        channel.send(Exited(1, 0.0, 0))
    channel.close()


def main() -> NoReturn:
    """`python -m engines.zygote CONTROL_FD`: serve on the socket given, end when it is closed."""
    process.ensure_stack(sys.orig_argv)
    process.set_name("docpeek-zygote")
    process.forbid_new_privileges()
    process.forbid_core_dumps()
    network_namespace = sandbox.leave_network()
    control = adopt(int(sys.argv[1]))
    init = control.receive()
    if not isinstance(init, Init):
        os._exit(1)
    started = time.perf_counter()
    try:
        with process.tied_to(control.fileno()):  # an office that hangs here would not see the parent go
            office = load(init.office, init.settings)
            office.initialise()
    except Exception as error:  # noqa: BLE001 - told to the parent
        control.send(kit.failed(error))
        os._exit(1)
    spare = bool(init.settings.get("spare_kit", True))
    zygote = Zygote(office, control, spare=spare, network_namespace=network_namespace)
    try:
        control.send(Ready({"initialise": time.perf_counter() - started}))
        zygote.run()
    finally:
        zygote.end()
        os._exit(0)  # not through the interpreter's shutdown, which would wait for the guest's threads


if __name__ == "__main__":
    main()
