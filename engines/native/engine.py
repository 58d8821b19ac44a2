"""The native engine on the parent's side: an installed LibreOffice, this machine's fonts, a supervisor over kits."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from blake3 import blake3

from engines import childcode, fontscan
from engines.assets import assets_dir
from engines.base import Artifact, CancelToken, EngineInfo, ExportOptions, Progress, SourceDocument
from engines.errors import EngineError, ErrorKind
from engines.fonts import FontCatalogue
from engines.formats import by_id
from engines.kits import Ending, Job, Kits
from engines.native import capability, discover, launch
from engines.native.capability import LOCALE, Capability
from engines.native.convert_cli import CommandKits
from engines.native.discover import Installation
from engines.native.scratch import Scratch
from engines.protocol import Init, Ready
from engines.supervisor import RESULT_BYTES_MAX, Supervisor

OFFICE = "engines.native.office:NativeOffice"
_CHILD_CODE = (
    "native/office.py", "native/loaded.py", "native/modules.py", "native/profile.py", "native/convert_cli.py",
    "native/documentfonts.py", "native/equations.py", "native/missingfonts.py", "native/sheetlist.py",
    "native/soffice.py",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NativeLimits:
    """Bounds of one kit: resident memory, bytes of a PDF; and of the engine: seconds for its start."""

    memory_bytes_max: int = 2 << 30
    result_bytes_max: int = RESULT_BYTES_MAX
    start_deadline_s: float = 60.0


class NativeEngine:
    """LibreOffice as it is installed. See `engines.base.Engine` for the contract.

    Initialised once and forked for each document where that is possible (`capability.python`); else started for each.
    `font_dirs` are folders of fonts besides those of the system.
    """

    def __init__(
        self,
        installation: Installation,
        found: Capability,
        *,
        limits: NativeLimits | None = None,
        font_dirs: tuple[Path, ...] = (),
        fonts: FontCatalogue | None = None,
        spare_kit: bool = True,
        warm_up: bool = True,
        note: str = "",
    ) -> None:
        self._installation = installation
        self._found = found
        self._limits = limits or NativeLimits()
        self._font_dirs = (*fontscan.system_folders(), *font_dirs)
        self._spare_kit = spare_kit
        self._warm_up = warm_up
        catalogue = fonts or fontscan.scan(font_dirs)
        fingerprint = _fingerprint(installation, found, catalogue, self._limits)
        self._info = EngineInfo(name="native", version=found.version, fingerprint=fingerprint, note=note)
        self._supervisor = Supervisor(
            self._make_kits,
            result_bytes_max=self._limits.result_bytes_max,
            memory_bytes_max=self._limits.memory_bytes_max,
        )

    @classmethod
    def found(cls, setting: str = "", **options: Any) -> NativeEngine:
        """The engine over the LibreOffice that is installed. Raises `EngineError` of kind `unavailable`."""
        installation = discover.find(setting)
        found = capability.probe(installation, trial_documents())
        if found.failure:
            message = f"The LibreOffice in {installation.program} cannot be used. {found.failure}"
            raise EngineError(ErrorKind.UNAVAILABLE, message)
        return cls(installation, found, **options)

    @property
    def info(self) -> EngineInfo:
        """Name, version and fingerprint."""
        return self._info

    @property
    def starts(self) -> int:
        """How often the engine's process was started."""
        return self._supervisor.starts

    @property
    def warm(self) -> bool:
        """Whether LibreOffice is initialised ahead of the documents."""
        return bool(self._found.python)

    def start(self) -> None:
        """Start the zygote and wait until LibreOffice is initialised in it."""
        try:
            self._supervisor.start()
        except EngineError:
            capability.forget(self._installation)  # the next run looks again, and may come to another decision
            raise

    def convert(
        self,
        document: SourceDocument,
        options: ExportOptions,
        *,
        deadline_s: float,
        cancel: CancelToken,
        progress: Callable[[Progress], None] | None = None,
    ) -> Artifact:
        """Convert one document in a process of its own."""
        if lacking := self._found.missing.get(document.type.family.value):
            raise EngineError(ErrorKind.UNAVAILABLE, lacking)
        return self._supervisor.convert(document, options, deadline_s=deadline_s, cancel=cancel, progress=progress)

    def healthy(self) -> bool:
        """Whether the zygote runs, or was not needed yet."""
        return self._supervisor.healthy()

    def stop(self, grace_s: float = 2.0) -> None:
        """End the zygote and every kit, and remove what they had on disk."""
        self._supervisor.stop(grace_s)

    def _make_kits(self) -> Kits:
        return _ScratchKits(self._kits_in, self._prepare)

    def _prepare(self, scratch: Path) -> None:
        launch.write_settings(scratch, self._installation, self._font_dirs, capability.font_cache_dir(), LOCALE)

    def _kits_in(self, scratch: Path) -> Kits:
        if not self.warm:
            return CommandKits(
                self._installation,
                scratch,
                memory_bytes_max=self._limits.memory_bytes_max,
                readable=self._readable(scratch),
            )
        from engines.kits_forked import ForkedKits, Program  # noqa: PLC0415 - not importable where there is no fork

        program = Program(
            launch.command(self._found.python, "engines.zygote"),
            launch.environment(scratch, self._installation),
            scratch,
        )
        init = Init(OFFICE, self._office_settings(scratch))
        return ForkedKits(init, start_deadline_s=self._limits.start_deadline_s, program=program)

    def _readable(self, scratch: Path) -> tuple[str, ...]:
        return launch.readable(scratch, self._installation, self._font_dirs, capability.font_cache_dir())

    def _office_settings(self, scratch: Path) -> dict[str, Any]:
        return {
            "program": str(self._installation.program),
            "uno": self._found.uno,
            "scratch": str(scratch),
            "readable": list(self._readable(scratch)),
            "warm_up": [str(path) for path in trial_documents().values()] if self._warm_up else [],
            "spare_kit": self._spare_kit,
            "memory_bytes_max": self._limits.memory_bytes_max,
        }


class _ScratchKits:
    """Kits that need a folder: it is made before they start and removed after they end."""

    def __init__(self, make: Callable[[Path], Kits], prepare: Callable[[Path], None]) -> None:
        self._make = make
        self._prepare = prepare
        self._scratch: Scratch | None = None
        self._kits: Kits | None = None
        self._killed = False

    def start(self) -> Ready:
        """Make the folder, then start the kits in it."""
        try:
            self._scratch = Scratch()
            self._prepare(self._scratch.path)
        except OSError as error:
            message = "LibreOffice cannot be started: there is no place for its temporary files."
            raise EngineError(ErrorKind.UNAVAILABLE, message, repr(error)) from error
        self._kits = self._make(self._scratch.path)
        if self._killed:  # `kill` came before there was anything to kill
            self._kits.kill()
        return self._kits.start()

    def alive(self) -> bool:
        """Whether documents can be converted now."""
        return self._kits is not None and self._kits.alive()

    def run(self, job: Job) -> Ending:
        """Convert one document."""
        assert self._kits is not None
        return self._kits.run(job)

    def kill(self) -> None:
        """End what is starting or about to."""
        self._killed = True
        if self._kits is not None:
            self._kits.kill()

    def stop(self, grace_s: float) -> None:
        """End every process, then remove the folder."""
        if self._kits is not None:
            self._kits.stop(grace_s)
        if self._scratch is not None:
            self._scratch.remove()


def trial_documents() -> dict[str, Path]:
    """A small document of ours for each family: to try an installation with, and to warm it up."""
    return {by_id(path.suffix[1:]).family.value: path for path in sorted((assets_dir() / "warmup").iterdir())}


def _fingerprint(installation: Installation, found: Capability, catalogue: FontCatalogue, limits: NativeLimits) -> str:
    parts = [
        installation.identity, found.version, bool(found.python), catalogue.fingerprint,
        childcode.fingerprint(_CHILD_CODE), asdict(limits), LOCALE,
    ]  # fmt: skip
    return blake3(json.dumps(parts, sort_keys=True).encode()).hexdigest()
