"""`make lab`: JupyterLab with the extension of this checkout, in a folder with copies of the samples."""

from __future__ import annotations

import shutil
import tempfile
import threading
import webbrowser
from pathlib import Path

from tests.conftest import REPOSITORY
from tests.lab.server import LabServer


def main() -> None:
    """Run until Ctrl+C."""
    with tempfile.TemporaryDirectory(prefix="docpeek-lab-") as folder:
        root = Path(folder) / "samples"
        shutil.copytree(REPOSITORY / "assets/samples", root)
        server = LabServer(root, Path(folder) / "settings")
        print(f"JupyterLab runs at\n\n    {server.address('lab/tree/welcome.docx')}\n\nCtrl+C ends it.", flush=True)
        webbrowser.open(server.address("lab/tree/welcome.docx"))
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print("\nEnding it ...")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
