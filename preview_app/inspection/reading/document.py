"""Any document: what it is, and which reader knows it."""

from __future__ import annotations

from engines.errors import EngineError
from engines.sniffing import detect
from preview_app.inspection.reading.collector import Collector
from preview_app.inspection.source_facts import SourceFacts


def read(data: memoryview, name: str, unpacked_bytes_max: int) -> SourceFacts:
    """The facts of a document. What cannot be read is said in them."""
    collector = Collector()
    try:
        found = detect(data, name)
        del found, unpacked_bytes_max
    except EngineError as error:
        collector.not_read(f"The document itself was not looked at: {error.message}")
    return collector.facts()
