"""The start of an XML file: its root element and whether it declares a document type, without reading more.

Nothing is expanded: parsing stops at the first entity declaration and at the first element.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.parsers import expat


@dataclass(frozen=True, slots=True)
class Prolog:
    """`root` is the first element's local name and `namespace` its namespace, both empty if none was reached.

    `attributes` are those of the root, namespaced ones as `"namespace name"`. `declares_type` tells of a DOCTYPE,
    `declares_entities` of entities declared in it.
    """

    root: str = ""
    namespace: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    declares_type: bool = False
    declares_entities: bool = False


class _StopError(Exception):
    """All that is wanted is known."""


def read_prolog(head: bytes) -> Prolog | None:
    """Read the first bytes of an XML file; `None` if what stands before the end of its first tag is not XML.

    A head that ends before the first tag does gives a `Prolog` without `root`.
    """
    found: dict[str, object] = {}

    def start_doctype(*_: object) -> None:
        found["declares_type"] = True

    def declare_entity(*_: object) -> None:
        found["declares_entities"] = True
        raise _StopError

    def start_element(name: str, attributes: dict[str, str]) -> None:
        namespace, _, local = name.rpartition(" ")
        found.update(root=local, namespace=namespace, attributes=attributes)
        raise _StopError

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartDoctypeDeclHandler = start_doctype
    parser.EntityDeclHandler = declare_entity
    parser.StartElementHandler = start_element
    try:
        parser.Parse(head, False)
    except _StopError:
        pass
    except (expat.ExpatError, ValueError, LookupError):  # the latter two: an encoding that Python does not know
        return None
    return Prolog(**found)  # type: ignore[arg-type]  # the handlers above fill it with the right types


def looks_like_xml(head: bytes) -> bool:
    """Whether the bytes begin with markup, in any of the encodings that need no declaration."""
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8")):
        if head.startswith(mark):
            head = head[len(mark) :].decode(encoding, "replace").encode("utf-8", "replace")
            break
    return head.lstrip(b" \t\r\n").startswith(b"<")
