"""Answers to LibreOffice's requests for fonts, and an account of what was missing. Only the standard library.

The rules, in this order: the family itself; a family of the same widths; one that looks alike; for East Asian names
what is there for the region; the default of the class. A request for missing glyphs is answered by coverage.
The same catalogue and requests give the same answers, always.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from engines import fontsubstitution as tables
from engines.fonts import FontCatalogue, FontFace, family_key

_FACES_MAX = 8
_WEIGHTS = (400, 100, 200, 300, 350, 400, 500, 600, 700, 800, 900)
"""LibreOffice's `FontWeight` (0: not known ... 5: normal, 8: bold, 10: black) in the weights of CSS."""
_WIDTHS = (100, 50, 62, 75, 87, 100, 112, 125, 150, 200)
"""LibreOffice's `FontWidth` (0: not known, 5: normal) in per cent."""
_PITCH_FIXED = 1
_LAST_RESORTS = frozenset(map(family_key, ("Last Resort", "LastResort", "Adobe Blank", "Unifont Upper", "Tofu")))
"""They cover everything and show nothing."""
_POOR = frozenset(map(family_key, ("Unifont", "GNU Unifont", "Code2000")))
_STYLE_WORDS = ("bold", "italic", "oblique", "regular", "light", "medium", "semibold", "black", "mt", "ps")


class Match(Enum):
    """How well an answer fits the request."""

    EXACT = "exact"
    METRIC = "metric"
    SIMILAR = "similar"
    DEFAULT = "default"
    GLYPHS = "glyphs"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class FontRequest:
    """What LibreOffice asks: numbers are those of its enums. `family` may be a list, separated by `;`.

    With `codepoints` it asks for glyphs that the family does not have.
    """

    family: str
    style: str = ""
    weight: int = 5
    italic: int = 0
    width: int = 0
    pitch: int = 0
    language: str = ""
    codepoints: tuple[int, ...] = ()

    @property
    def families(self) -> list[str]:
        """The names, without empty ones."""
        return [name for each in self.family.split(";") if (name := each.strip())]


@dataclass(frozen=True, slots=True)
class Answer:
    """The faces to use: the best one first, then the others of its family, so that bold is not made up later.

    `requested` is the family that was meant, `uncovered` are code points that no face has.
    """

    faces: tuple[FontFace, ...]
    match: Match
    requested: str = ""
    uncovered: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Replacement:
    """A family that the document asks for and that is not there. `same_widths`: the layout keeps its lines."""

    requested: str
    used: str
    same_widths: bool


class FontResolver:
    """Resolves requests against one catalogue, remembers answers and keeps the account of one document."""

    def __init__(self, catalogue: FontCatalogue) -> None:
        self._catalogue = catalogue
        self._families = _family_index(catalogue)
        self._answers: dict[FontRequest, Answer] = {}
        self._asked: dict[FontRequest, Answer] = {}

    def __repr__(self) -> str:
        return f"FontResolver({self._catalogue!r}, answers={len(self._answers)}, asked={len(self._asked)})"

    def resolve(self, request: FontRequest) -> tuple[FontFace, ...]:
        """The faces for a request, best first; empty if nothing helps."""
        answer = self._asked.get(request)
        if answer is None:
            answer = self._asked[request] = self.answer(request)
        return answer.faces

    def answer(self, request: FontRequest) -> Answer:
        """The same without entering it into the account."""
        answer = self._answers.get(request)
        if answer is None:
            answer = self._glyphs(request) if request.codepoints else self._family(request)
            self._answers[request] = answer
        return answer

    def forget(self) -> None:
        """Begin the account of another document."""
        self._asked.clear()

    def replacements(self) -> tuple[Replacement, ...]:
        """The families that the document asked for and did not get, by name; LibreOffice's own wishes do not count."""
        found: dict[str, Replacement] = {}
        for request, answer in self._asked.items():
            if answer.match in {Match.EXACT, Match.GLYPHS, Match.NONE} or tables.is_internal(request.families):
                continue
            if tables.generic_class(answer.requested) is None:
                face, twins = answer.faces[0], answer.match is Match.METRIC
                used = face.made_from or face.family
                found.setdefault(family_key(answer.requested), Replacement(answer.requested, used, twins))
        return tuple(sorted(found.values(), key=lambda each: family_key(each.requested)))

    def granted(self) -> frozenset[str]:
        """The families (as `family_key`) that the document asked for and got; none where that cannot be told.

        Where characters were asked for in vain, LibreOffice asks by name for the family that it falls back on.
        """
        if any(request.codepoints and not answer.faces for request, answer in self._asked.items()):
            return frozenset()
        exact = (answer for answer in self._asked.values() if answer.match is Match.EXACT)
        return frozenset(family_key(answer.requested) for answer in exact)

    def uncovered(self) -> tuple[int, ...]:
        """The code points of the document that no face can show, ascending."""
        return tuple(sorted({codepoint for answer in self._asked.values() for codepoint in answer.uncovered}))

    def _family(self, request: FontRequest) -> Answer:
        names = request.families or [""]
        for match, candidates in _candidates(names, request):
            for name, candidate in candidates:
                if faces := self._catalogue.family(candidate):
                    return Answer(_order(faces, request), _match_of(faces[0], match), name)
        if not self._catalogue.faces:
            return Answer((), Match.NONE, names[0])
        plain = [
            face for face in self._catalogue.faces if not face.symbol and family_key(face.family) not in _LAST_RESORTS
        ]
        family = (plain or self._catalogue.faces)[0].family
        return Answer(_order(self._catalogue.family(family), request), Match.DEFAULT, names[0])

    def _glyphs(self, request: FontRequest) -> Answer:
        """Greedy cover: the family with most of the code points first, until all are covered or nothing helps."""
        missing = {codepoint for codepoint in request.codepoints if not _is_invisible(codepoint)}
        preferred = _Preference(request)
        chosen: list[FontFace] = []
        used: set[str] = set()
        while missing and len(used) < _FACES_MAX:
            best = min(
                (candidate for candidate in self._families if candidate.key not in used),
                key=lambda candidate: (*candidate.rank(missing), *preferred(candidate)),
                default=None,
            )
            if best is None or not (covered := [each for each in missing if each in best.face.coverage]):
                break
            used.add(best.key)
            chosen += _order(self._catalogue.family(best.face.family), request)
            missing.difference_update(covered)
        match = Match.GLYPHS if chosen else Match.NONE
        return Answer(tuple(chosen), match, (request.families or [""])[0], tuple(sorted(missing)))


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A family, by the face that speaks for its coverage."""

    key: str
    face: FontFace

    def rank(self, codepoints: Iterable[int]) -> tuple[bool, bool, int]:
        """Families that help come first, poor ones last among them, then those that cover most."""
        covered = sum(codepoint in self.face.coverage for codepoint in codepoints)
        return not covered, self.key in _POOR, -covered


def _family_index(catalogue: FontCatalogue) -> list[_Candidate]:
    by_key: dict[str, list[FontFace]] = {}
    for face in catalogue.faces:
        by_key.setdefault(family_key(face.family), []).append(face)
    plain = FontRequest("")
    return [
        _Candidate(key, _order(faces, plain)[0])
        for key, faces in sorted(by_key.items())
        if key not in _LAST_RESORTS and not faces[0].symbol and not faces[0].made_from
    ]


def _match_of(face: FontFace, match: Match) -> Match:
    """A stand-in has the name that was asked for, but is as good as what it was made from."""
    if not face.made_from:
        return match
    twins = map(family_key, tables.metric_twins(face.family))
    return Match.METRIC if family_key(face.made_from) in twins else Match.SIMILAR


_Named = Iterable[tuple[str, str]]


def _candidates(names: Sequence[str], request: FontRequest) -> Iterator[tuple[Match, _Named]]:
    """Names to try: pairs of the family that was asked for and the one that would serve, from best to worst.

    In a list the first name is the one that is meant, the others are what its author would settle for.
    """
    wanted = [tables.western_name(name) for name in names]
    yield Match.EXACT, [(name, name) for name in (*names, *wanted)]
    yield Match.EXACT, [(names[0], base) for name in wanted if (base := _without_style(name))]
    yield Match.METRIC, [(names[0], twin) for name in wanted for twin in tables.metric_twins(name)]
    yield Match.SIMILAR, [(names[0], other) for name in wanted for other in tables.similar(name)]
    yield Match.SIMILAR, [(names[0], other) for name in wanted for other in _for_region(name)]
    generic = next((found for name in wanted if (found := tables.generic_class(name))), None)
    fixed = request.pitch == _PITCH_FIXED
    yield (
        Match.DEFAULT,
        [(names[0], other) for other in tables.DEFAULTS[generic or tables.style_class(wanted[0], fixed_pitch=fixed)]],
    )
    yield Match.DEFAULT, [(names[0], other) for stack in tables.DEFAULTS.values() for other in stack]


def _without_style(name: str) -> str:
    """`Arial Bold` and `Helvetica-Bold` name a face; the request says its style apart."""
    words = name.replace("-", " ").split()
    while len(words) > 1 and words[-1].casefold() in _STYLE_WORDS:
        words.pop()
    base = " ".join(words)
    return base if family_key(base) != family_key(name) else ""


def _for_region(family: str) -> tuple[str, ...]:
    place = tables.cjk_place(family)
    if place is None:
        return ()
    return _stack(*place)


def _order(faces: Sequence[FontFace], request: FontRequest) -> tuple[FontFace, ...]:
    """The best face of a family, then its regular, bold, italic and bold italic as far as they are others.

    LibreOffice asks once for a family and makes up the styles that it was not given.
    """
    weight = _WEIGHTS[request.weight] if 0 <= request.weight < len(_WEIGHTS) else 400
    width = _WIDTHS[request.width] if 0 <= request.width < len(_WIDTHS) else 100
    looks = [(weight, request.italic > 0), (400, False), (700, False), (400, True), (700, True)]
    best = [_closest(faces, *look, width) for look in looks]
    family = best[0].family
    return tuple(dict.fromkeys(face for face in best if face.family == family))


def _closest(faces: Sequence[FontFace], weight: int, italic: bool, width: int) -> FontFace:
    return min(faces, key=lambda face: _distance(face, weight, italic, width))


def _distance(face: FontFace, weight: int, italic: bool, width: int) -> tuple[object, ...]:
    """CSS Fonts 4, 5.2: width, then style, then weight; a bold wish prefers heavier faces, a light one lighter ones."""
    heavier_is_better = weight > 500
    wrong_side = face.weight < weight if heavier_is_better else face.weight > weight
    return (
        abs(face.width - width),
        face.italic != italic,
        abs(face.weight - weight) + (50 if wrong_side else 0),
        face.is_variable,
        face.path,
        face.index,
    )


def _is_invisible(codepoint: int) -> bool:
    """Controls, joiners, variation selectors: nothing to draw, so nothing to miss."""
    return (
        codepoint < 0x20
        or 0x7F <= codepoint <= 0x9F
        or 0x200B <= codepoint <= 0x200F
        or 0x2028 <= codepoint <= 0x202E
        or 0x2060 <= codepoint <= 0x206F
        or 0xFE00 <= codepoint <= 0xFE0F
        or codepoint == 0xFEFF
        or 0xE0000 <= codepoint <= 0xE01EF
    )


class _Preference:
    """Ranks families that cover equally much: the right region, class and pitch, then the defaults, then by name."""

    def __init__(self, request: FontRequest) -> None:
        name = (request.families or [""])[0]
        self._fixed = request.pitch == _PITCH_FIXED
        place = tables.cjk_place(name)
        style_class = place[1] if place else tables.style_class(name, fixed_pitch=self._fixed)
        region = _region(request, place)
        regional = _stack(region, style_class) if region else ()
        order = (*tables.metric_twins(name), *regional, *tables.DEFAULTS[style_class])
        self._ranks = {family_key(each): rank for rank, each in reversed(list(enumerate(order)))}
        self._last = len(order)
        self._serif = style_class == tables.SERIF

    def __call__(self, candidate: _Candidate) -> tuple[object, ...]:
        face = candidate.face
        return (
            self._ranks.get(candidate.key, self._last),
            face.monospace != self._fixed,
            (tables.style_class(face.family) == tables.SERIF) != self._serif,
            candidate.key,
        )


def _stack(region: str, style_class: str) -> tuple[str, ...]:
    """The families for a region, of the class first, then of the other; then those of its neighbours."""
    first = tables.SERIF if style_class == tables.SERIF else tables.SANS
    second = tables.SANS if first == tables.SERIF else tables.SERIF
    regions = (region, *(each for each in tables.CJK_NEIGHBOURS if each != region))
    stacks = (tables.CJK_STACKS[each, wanted] for each in regions for wanted in (first, second))
    return (*itertools.chain.from_iterable(stacks), *tables.CJK_TOGETHER)


def _region(request: FontRequest, place: tuple[str, str] | None) -> str | None:
    """The text itself tells Japanese and Korean; Han characters alone go by the family, then the language."""
    if any(0x3040 <= each <= 0x30FF or 0xFF66 <= each <= 0xFF9D for each in request.codepoints):
        return tables.JAPAN
    if any(0xAC00 <= each <= 0xD7AF or 0x1100 <= each <= 0x11FF for each in request.codepoints):
        return tables.KOREA
    if not any(0x2E80 <= each <= 0x9FFF or 0xF900 <= each <= 0xFFEF or each >= 0x20000 for each in request.codepoints):
        return None
    if place is not None:
        return place[0]
    language = request.language.casefold()
    if language.startswith(("zh-tw", "zh-hk", "zh-mo", "zh-hant")):
        return tables.TAIWAN
    return {"ja": tables.JAPAN, "ko": tables.KOREA}.get(language[:2], tables.CHINA)
