"""The wish to use a cluster, which needs packages that an installation may be without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engines.errors import EngineError, ErrorKind
from preview_app.config import Config, EngineChoice
from preview_app.inspection.cluster_checks import CheckOrder
from preview_app.inspection.cluster_paths import RootMap
from preview_app.inspection.inspect_one import InspectOptions
from preview_app.inspection.inspector import Runner
from preview_app.inspection.pictures import PictureStore
from preview_app.inspection.records import EngineUsed


class Cluster(Runner, Protocol):
    """What is connected: a runner that knows its engine, and reads the digests of files."""

    @property
    def engine(self) -> EngineUsed:
        """The engine of most workers."""

    def digest(self, file: Path) -> str | None:
        """The digest of a file's bytes as they are here, `None` if they cannot be read."""


@dataclass(frozen=True, slots=True)
class ClusterWish:
    """A scheduler's address. `roots` tell where the workers have folders. `jobs`: conversions at
    once on each worker."""

    address: str
    roots: Sequence[RootMap] = ()
    jobs: int | None = None

    @contextmanager
    def connect(
        self,
        config: Config,
        choice: EngineChoice | None,
        options: InspectOptions,
        say: Callable[[str], None],
        checks: CheckOrder | None = None,
        pictures: PictureStore | None = None,
    ) -> Iterator[Cluster]:
        """A runner over the cluster; `pictures` gets what the workers' `checks` picture.

        Raises `EngineError` of kind `unavailable`.
        """
        try:
            from preview_app.inspection import cluster  # noqa: PLC0415 - of an extra
            from preview_app.inspection.cluster_worker import Order, told  # noqa: PLC0415
        except ModuleNotFoundError as error:
            raise _unavailable(
                f"A cluster needs the package {error.name}, which is not installed: install docpeek with its extra "
                "`dask` (pip install 'docpeek[dask]')."
            ) from error
        engine, beside = choice or config.engine, checks or CheckOrder()
        order = Order(config, engine, options.export, options.deadline_s, self.jobs, beside)
        try:
            runner = cluster.ClusterRunner(self.address, order, roots=self.roots, pictures=pictures, say=say)
        except cluster.ClusterError as error:
            raise _unavailable(str(error)) from error
        with runner:
            counted = Counter(map(told, runner.greetings.values()))
            for text, count in counted.most_common():
                say(f"{count} worker{'s' * (count > 1)} of {self.address}: {text}")
            if len(counted) > 1:
                say("The workers differ: the same document may come out differently on another one.")
            yield runner


def cluster_wish(address: str | None, roots: Sequence[str], jobs: int | None) -> ClusterWish | None:
    """The wish that options of the command line express, if they do. Raises `ValueError`."""
    if address is None:
        if roots:
            raise ValueError("it is for a cluster, which --scheduler names")
        return None
    return ClusterWish(address, tuple(map(RootMap.parse, roots)), jobs)


def _unavailable(message: str) -> EngineError:
    return EngineError(ErrorKind.UNAVAILABLE, message)
