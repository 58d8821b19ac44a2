"""`docpeek` and `python -m preview_app`."""

from __future__ import annotations

from preview_app.cli import cli


def main() -> None:
    """Run the command line; exits with its status."""
    cli.main(prog_name="docpeek")


if __name__ == "__main__":
    main()
