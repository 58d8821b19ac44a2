"""Any document: what it is, and which reader knows it."""

from __future__ import annotations

from engines.errors import EngineError
from engines.formats import Container
from engines.sniffing import Detection, detect, normalize
from preview_app.inspection.reading import binary, ooxml, opendocument, rtf, webpage
from preview_app.inspection.reading.collector import Collector
from preview_app.inspection.reading.packages import Package
from preview_app.inspection.source_facts import SourceFacts


def read(data: memoryview, name: str, unpacked_bytes_max: int) -> SourceFacts:
    """The facts of a document. What cannot be read is said in them."""
    collector = Collector()
    try:
        _read(data, detect(data, name), unpacked_bytes_max, collector)
    except EngineError as error:
        collector.not_read(f"The document itself was not looked at: {error.message}")
    return collector.facts()


def _read(data: memoryview, found: Detection, unpacked_bytes_max: int, collector: Collector) -> None:
    match found.type.container:
        case Container.OOXML:
            ooxml.read(Package(data, collector, unpacked_bytes_max), found.type, collector)
        case Container.ODF:
            opendocument.read(Package(data, collector, unpacked_bytes_max), collector)
        case Container.FLAT_ODF:
            opendocument.read_flat(data, collector)
        case Container.COMPOUND:
            binary.read(data, found.type.id, collector)
        case _ if found.type.id == "rtf":
            rtf.read(data, collector)
        case _ if found.type.id == "html":
            webpage.read(bytes(normalize(data, found)).decode("utf-8", "replace"), collector)
