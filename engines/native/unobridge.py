"""Python's `uno` module on the LibreOffice in this process: no socket, no second process."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from engines.native.lok import Library, LokError


class Uno:
    """The component context of this process, and the few things of `uno` that the office needs."""

    def __init__(self, library: Library, program: Path, module_dir: Path) -> None:
        library.give_context_to_pyuno()
        # First the extension module of this very LibreOffice, whatever folder a distribution's `uno.py` may add.
        sys.path.insert(0, str(program))
        sys.path.append(str(module_dir))
        import pyuno  # type: ignore[import-not-found]  # noqa: PLC0415 - needs the path and the context from above
        import uno  # type: ignore[import-not-found]  # noqa: PLC0415

        if Path(pyuno.__file__).resolve().parent != program.resolve():
            raise LokError(f"the uno module belongs to another LibreOffice ({pyuno.__file__})")
        self._uno = uno
        self._property: Any = uno.getClass("com.sun.star.beans.PropertyValue")
        self.error: type[Exception] = uno.getClass("com.sun.star.uno.Exception")
        self.context: Any = uno.getComponentContext()

    def service(self, name: str) -> Any:
        """A new instance of a service."""
        return self.context.ServiceManager.createInstanceWithContext(name, self.context)

    def properties(self, values: dict[str, Any]) -> tuple[Any, ...]:
        """A media descriptor."""
        return tuple(self._property(name, 0, value, 0) for name, value in values.items())

    def sequence(self, values: dict[str, Any]) -> Any:
        """A media descriptor as the value of a property."""
        return self._uno.Any("[]com.sun.star.beans.PropertyValue", self.properties(values))
