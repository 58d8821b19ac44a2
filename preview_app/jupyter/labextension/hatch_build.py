"""Puts the Lab extension, built from source, into the wheel, so that who installs the wheel needs no Node.

An editable install (a checkout in use) takes along what is there and builds nothing: see `make lab-build`. Neither does
a wheel that is built from a source archive which has the extension in it already.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.builders.wheel import WheelBuilderConfig

HERE = Path("preview_app/jupyter/labextension")
BUILT = HERE / "build/docpeek"
NPM_INSTALL = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
NPM_BUILD = ("npm", "run", "--silent", "build")


class LabExtensionHook(BuildHookInterface[WheelBuilderConfig]):
    """Builds the extension unless it is there, and lays it where JupyterLab looks."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it collects files. Raises `SystemExit` where the extension cannot be built."""
        built = Path(self.root) / BUILT
        if version != "editable" and not is_complete(built):
            build(Path(self.root) / HERE)
        if is_complete(built):
            build_data["shared_data"][str(BUILT)] = "share/jupyter/labextensions/docpeek"


def is_complete(built: Path) -> bool:
    """Whether a built extension lies there."""
    return (built / "package.json").is_file() and any(built.glob("static/remoteEntry.*.js"))


def build(source: Path) -> None:
    """Compile the TypeScript and bundle it. Raises `SystemExit` with what is missing."""
    try:
        for command in (NPM_INSTALL, NPM_BUILD):
            subprocess.run(command, cwd=source, check=True, env=_with_scripts_of_python())
    except FileNotFoundError:
        raise SystemExit(
            "The JupyterLab extension cannot be built: there is no npm. `make lab-build` gets one."
        ) from None
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"The JupyterLab extension cannot be built: `{' '.join(error.cmd)}` failed.") from error
    if not is_complete(source / "build/docpeek"):
        raise SystemExit("The JupyterLab extension was built, but its files are not where they should be.")


def _with_scripts_of_python() -> dict[str, str]:
    """The environment in which programs of this Python (jupyter-builder, perhaps npm) are found first."""
    scripts = Path(sys.executable).parent
    return {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ.get('PATH', '')}"}


if __name__ == "__main__":
    build(Path(__file__).parent)
