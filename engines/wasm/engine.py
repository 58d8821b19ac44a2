"""The WASM engine on the parent's side: a prepared module, the fonts of this machine, and a supervisor over kits."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from blake3 import blake3

from engines import childcode, fontscan
from engines.assets import assets_dir
from engines.base import Artifact, CancelToken, EngineInfo, ExportOptions, Progress, SourceDocument
from engines.cachedir import default_cache_dir
from engines.errors import EngineError, ErrorKind
from engines.fonts import FontCatalogue
from engines.kits import Kits, can_fork
from engines.protocol import Init
from engines.supervisor import RESULT_BYTES_MAX, Supervisor
from engines.wasm.prepared import PreparedEngine, find

OFFICE = "engines.wasm.office:WasmOffice"
_CHILD_CODE = (
    "flatodf.py", "fontmatching.py", "fontsubstitution.py", "odfmedia.py", "wasm/office.py", "wasm/document.py",
    "wasm/officefonts.py", "wasm/slidelayouts.py", "wasm/host/fontcallback.py",
)  # fmt: skip
_STAND_INS = "stand-ins"
_LOG = logging.getLogger(__name__)
NOT_PREPARED = "LibreOffice WASM is not prepared yet: run `docpeek engines prepare` (once; it takes about two minutes)."


@dataclass(frozen=True, slots=True)
class WasmLimits:
    """Bounds of one kit: memory of the guest, files that it keeps in its own tree, bytes of a PDF."""

    memory_bytes_max: int = 2 << 30
    file_bytes_max: int = 1 << 30
    result_bytes_max: int = RESULT_BYTES_MAX
    start_deadline_s: float = 60.0


class WasmEngine:
    """LibreOffice WASM in wasmtime. See `engines.base.Engine` for the contract.

    `forked=None` takes forked kits where the system has them; `False` forces the spawned ones.
    """

    def __init__(
        self,
        prepared: PreparedEngine,
        *,
        limits: WasmLimits | None = None,
        fonts: FontCatalogue | None = None,
        forked: bool | None = None,
        spare_kit: bool = True,
        warm_up: bool = True,
        note: str = "",
    ) -> None:
        self._limits = limits or WasmLimits()
        self._forked = can_fork() if forked is None else forked
        catalogue = fonts or _scan_fonts(prepared)
        self._settings = _settings(prepared, catalogue, self._limits)
        self._settings["spare_kit"] = spare_kit
        self._settings["warm_up"] = warm_up_documents() if warm_up else []
        self._info = EngineInfo(
            name="wasm",
            version=prepared.versions["libreoffice"],
            fingerprint=_fingerprint(prepared, catalogue, self._limits),
            note=note,
        )
        self._supervisor = Supervisor(self._make_kits, result_bytes_max=self._limits.result_bytes_max)

    @classmethod
    def found(cls, **options: Any) -> WasmEngine:
        """The engine that is prepared on this machine. Raises `EngineError` of kind `unavailable`."""
        prepared = find()
        if prepared is None:
            raise EngineError(ErrorKind.UNAVAILABLE, NOT_PREPARED)
        return cls(prepared, **options)

    @property
    def info(self) -> EngineInfo:
        """Name, version and fingerprint."""
        return self._info

    @property
    def starts(self) -> int:
        """How often the engine's process was started."""
        return self._supervisor.starts

    def start(self) -> None:
        """Start the zygote and wait until LibreOffice is initialised in it."""
        self._supervisor.start()

    def convert(
        self,
        document: SourceDocument,
        options: ExportOptions,
        *,
        deadline_s: float,
        cancel: CancelToken,
        progress: Callable[[Progress], None] | None = None,
    ) -> Artifact:
        """Convert one document in a kit of its own."""
        return self._supervisor.convert(document, options, deadline_s=deadline_s, cancel=cancel, progress=progress)

    def healthy(self) -> bool:
        """Whether the zygote runs, or was not needed yet."""
        return self._supervisor.healthy()

    def stop(self, grace_s: float = 2.0) -> None:
        """End the zygote and every kit."""
        self._supervisor.stop(grace_s)

    def _make_kits(self) -> Kits:
        init = Init(OFFICE, self._settings)
        if self._forked:
            from engines.kits_forked import ForkedKits  # noqa: PLC0415 - not importable where there is no fork

            return ForkedKits(init, start_deadline_s=self._limits.start_deadline_s)
        from engines.kits_spawned import SpawnedKits  # noqa: PLC0415 - see above

        return SpawnedKits(init, start_deadline_s=self._limits.start_deadline_s)


def _scan_fonts(prepared: PreparedEngine) -> FontCatalogue:
    try:
        return fontscan.scan((prepared.fonts_dir,), made_dir=default_cache_dir() / _STAND_INS)
    except OSError as error:  # a cache that was made by somebody else and may only be read
        _LOG.warning("No stand-ins for missing fonts, so bullets of lists may be missing: %s", error)
        return fontscan.scan((prepared.fonts_dir,))


def warm_up_documents() -> list[str]:
    """The documents that a zygote converts when it has nothing else to do."""
    return [str(path) for path in sorted((assets_dir() / "warmup").iterdir())]


def _settings(prepared: PreparedEngine, catalogue: FontCatalogue, limits: WasmLimits) -> dict[str, Any]:
    guest = prepared.guest
    return {
        "module": str(prepared.module_path),
        "image": str(prepared.image),
        "image_index": str(prepared.image_index),
        "runtime": asdict(prepared.runtime),
        "guest": asdict(guest),
        "fonts": catalogue.to_json(),
        "memory_bytes_max": limits.memory_bytes_max,
        "file_bytes_max": limits.file_bytes_max,
    }


def _fingerprint(prepared: PreparedEngine, catalogue: FontCatalogue, limits: WasmLimits) -> str:
    code = childcode.fingerprint(_CHILD_CODE)
    parts = [prepared.fingerprint, catalogue.fingerprint, code, asdict(limits)]
    return blake3(json.dumps(parts, sort_keys=True).encode()).hexdigest()
