"""Which family stands in for which: tables of names, nothing else. Only the standard library: kits import this."""

from __future__ import annotations

from engines.fonts import family_key

METRIC_GROUPS: tuple[tuple[str, ...], ...] = (
    ("Arial", "Liberation Sans", "Arimo", "Helvetica", "Nimbus Sans", "Nimbus Sans L", "TeX Gyre Heros", "FreeSans",
     "Albany AMT", "Albany", "Helvetica Neue"),
    ("Arial Narrow", "Liberation Sans Narrow", "Helvetica Narrow", "Nimbus Sans Narrow"),
    ("Times New Roman", "Liberation Serif", "Tinos", "Times", "Nimbus Roman", "Nimbus Roman No9 L", "TeX Gyre Termes",
     "FreeSerif", "Thorndale AMT", "Thorndale"),
    ("Courier New", "Liberation Mono", "Cousine", "Courier", "Nimbus Mono PS", "Nimbus Mono L", "TeX Gyre Cursor",
     "FreeMono", "Cumberland AMT", "Cumberland"),
    ("Calibri", "Carlito"),
    ("Cambria", "Caladea"),
    ("Georgia", "Gelasio"),
    ("Segoe UI", "Selawik"),
    ("Comic Sans MS", "Comic Relief"),
    ("Palatino", "P052", "URW Palladio L", "TeX Gyre Pagella"),
    ("New Century Schoolbook", "C059", "Century Schoolbook L", "TeX Gyre Schola"),
    ("ITC Avant Garde Gothic", "URW Gothic", "URW Gothic L", "TeX Gyre Adventor"),
    ("ITC Bookman", "URW Bookman", "URW Bookman L", "TeX Gyre Bonum"),
    ("ITC Zapf Chancery", "Z003", "URW Chancery L", "TeX Gyre Chorus"),
    ("Verdana", "DejaVu Sans Verdana"),
)  # fmt: skip
"""Families with the same advance widths: text keeps its lines when one stands in for another."""

SIMILAR: dict[str, tuple[str, ...]] = {
    "Calibri Light": ("Carlito",),
    "Cambria Math": ("Caladea", "STIX Two Math", "DejaVu Math TeX Gyre"),
    "Aptos": ("Noto Sans", "Open Sans", "Carlito"),
    "Aptos Display": ("Noto Sans", "Open Sans", "Carlito"),
    "Segoe UI": ("Open Sans", "Noto Sans"),
    "Verdana": ("DejaVu Sans", "Bitstream Vera Sans", "Noto Sans"),
    "Tahoma": ("DejaVu Sans Condensed", "Noto Sans", "DejaVu Sans"),
    "Trebuchet MS": ("Fira Sans", "Noto Sans"),
    "Lucida Sans": ("DejaVu Sans", "Noto Sans"),
    "Lucida Sans Unicode": ("DejaVu Sans", "Noto Sans"),
    "Lucida Grande": ("DejaVu Sans", "Noto Sans"),
    "Geneva": ("DejaVu Sans", "Noto Sans"),
    "Candara": ("Carlito", "Open Sans"),
    "Corbel": ("Open Sans", "Carlito"),
    "Century Gothic": ("URW Gothic", "Questrial", "Didact Gothic"),
    "Franklin Gothic Book": ("Libre Franklin",),
    "Franklin Gothic Medium": ("Libre Franklin",),
    "Gill Sans MT": ("Gillius ADF", "Cabin"),
    "Arial Black": ("Archivo Black",),
    "Arial Unicode MS": ("Liberation Sans", "Arimo"),
    "Impact": ("Anton", "League Gothic"),
    "Comic Sans MS": ("Comic Neue",),
    "Helvetica Neue": ("Liberation Sans", "Arimo"),
    "SF Pro": ("Inter", "Open Sans", "Noto Sans"),
    "Roboto": ("Noto Sans",),
    "Constantia": ("Gelasio", "Noto Serif"),
    "Garamond": ("EB Garamond", "Cormorant Garamond"),
    "Book Antiqua": ("P052", "TeX Gyre Pagella"),
    "Palatino Linotype": ("P052", "TeX Gyre Pagella"),
    "Bookman Old Style": ("URW Bookman", "TeX Gyre Bonum"),
    "Century Schoolbook": ("C059", "TeX Gyre Schola"),
    "Century": ("C059", "TeX Gyre Schola"),
    "Baskerville Old Face": ("Libre Baskerville",),
    "Rockwell": ("Roboto Slab",),
    "Monotype Corsiva": ("Z003", "TeX Gyre Chorus"),
    "Consolas": ("Inconsolata", "Liberation Mono", "Cousine"),
    "Lucida Console": ("DejaVu Sans Mono",),
    "Menlo": ("DejaVu Sans Mono",),
    "Monaco": ("DejaVu Sans Mono",),
    "Cascadia Code": ("DejaVu Sans Mono",),
    "Liberation Sans Narrow": ("DejaVu Sans Condensed",),
    "Arial Narrow": ("DejaVu Sans Condensed",),
}
"""Families that look alike but are of other widths, best first."""

SANS, SERIF, MONO = "sans", "serif", "mono"

DEFAULTS: dict[str, tuple[str, ...]] = {
    SANS: ("Liberation Sans", "Arimo", "Arial", "Noto Sans", "DejaVu Sans", "Open Sans", "Carlito", "FreeSans"),
    SERIF: ("Liberation Serif", "Tinos", "Times New Roman", "Noto Serif", "DejaVu Serif", "Caladea", "FreeSerif"),
    MONO: ("Liberation Mono", "Cousine", "Courier New", "Noto Sans Mono", "DejaVu Sans Mono", "FreeMono"),
}
"""The last resort of each class, best first."""

GENERIC: dict[str, str] = {
    "sans-serif": SANS, "sans": SANS, "system-ui": SANS, "ui-sans-serif": SANS, "helv": SANS,
    "serif": SERIF, "ui-serif": SERIF, "roman": SERIF, "tms rmn": SERIF,
    "monospace": MONO, "monospaced": MONO, "ui-monospace": MONO, "mono": MONO, "typewriter": MONO,
    "cursive": SERIF, "fantasy": SANS,
}  # fmt: skip
"""Names that stand for a class and ask for no family."""

SYMBOL_FAMILIES = ("Symbol", "Wingdings", "Wingdings 2", "Wingdings 3", "Webdings", "ZapfDingbats", "Zapf Dingbats",
                   "Marlett", "MT Extra", "StarSymbol", "Monotype Sorts", "Segoe UI Symbol")  # fmt: skip
"""Families of pictures at private code points, which LibreOffice knows to find in OpenSymbol."""
SYMBOL_STAND_INS = ("OpenSymbol",)

_SERIF_WORDS = ("serif", "roman", "times", "garamond", "antiqua", "book", "century", "minion", "caslon", "bodoni",
                "baskerville", "didot", "palatino", "georgia", "cambria", "constantia", "mincho", "ming", "song",
                "batang", "myungjo", "charter", "utopia", "sabon", "bembo", "perpetua", "goudy", "kai",
                "fangsong")  # fmt: skip
_MONO_WORDS = ("mono", "courier", "code", "console", "consolas", "typewriter", "terminal", "fixed", "menlo", "monaco")

JAPAN, CHINA, TAIWAN, KOREA = "JP", "SC", "TC", "KR"

_CJK_NAMES = {
    (JAPAN, SERIF): ("MS Mincho", "MS PMincho", "Yu Mincho", "Hiragino Mincho ProN", "Hiragino Mincho Pro",
                     "HG Mincho"),
    (JAPAN, SANS): ("MS Gothic", "MS PGothic", "MS UI Gothic", "Yu Gothic", "Yu Gothic UI", "Meiryo", "Meiryo UI",
                    "Hiragino Kaku Gothic ProN", "Hiragino Kaku Gothic Pro", "Osaka", "HG Gothic"),
    (CHINA, SERIF): ("SimSun", "NSimSun", "FangSong", "FangSong_GB2312", "KaiTi", "KaiTi_GB2312", "STSong", "STKaiti",
                     "STFangsong", "Songti SC", "STZhongsong"),
    (CHINA, SANS): ("SimHei", "Microsoft YaHei", "Microsoft YaHei UI", "DengXian", "STHeiti", "STXihei", "PingFang SC",
                    "YouYuan", "LiSu"),
    (TAIWAN, SERIF): ("MingLiU", "PMingLiU", "DFKai-SB", "BiauKai", "Songti TC", "MingLiU_HKSCS"),
    (TAIWAN, SANS): ("Microsoft JhengHei", "Microsoft JhengHei UI", "PingFang TC", "PingFang HK", "Heiti TC"),
    (KOREA, SERIF): ("Batang", "BatangChe", "Gungsuh", "GungsuhChe", "AppleMyungjo", "HYMyeongJo"),
    (KOREA, SANS): ("Malgun Gothic", "Gulim", "GulimChe", "Dotum", "DotumChe", "New Gulim", "AppleGothic",
                    "Apple SD Gothic Neo", "Nanum Gothic"),
}  # fmt: skip

CJK_TOGETHER = (
    "Droid Sans Fallback",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "AR PL UMing CN",
    "Arial Unicode MS",
)
"""Families that hold the characters of all regions, in one style."""
CJK_NEIGHBOURS = (JAPAN, CHINA, TAIWAN, KOREA)
"""Where to look next: Korean fonts have the fewest Han characters."""
CJK_STACKS: dict[tuple[str, str], tuple[str, ...]] = {
    (JAPAN, SERIF): ("Noto Serif CJK JP", "Noto Serif JP", "Source Han Serif", "Source Han Serif JP", "IPAexMincho",
                     "IPAMincho", "TakaoMincho"),
    (JAPAN, SANS): ("Noto Sans CJK JP", "Noto Sans JP", "Source Han Sans", "Source Han Sans JP", "IPAexGothic",
                    "IPAGothic", "TakaoGothic", "VL Gothic", "M PLUS 1p"),
    (CHINA, SERIF): ("Noto Serif CJK SC", "Noto Serif SC", "Source Han Serif SC", "AR PL UMing CN", "AR PL SungtiL GB"),
    (CHINA, SANS): ("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Zen Hei",
                    "WenQuanYi Micro Hei"),
    (TAIWAN, SERIF): ("Noto Serif CJK TC", "Noto Serif TC", "Source Han Serif TC", "AR PL UMing TW"),
    (TAIWAN, SANS): ("Noto Sans CJK TC", "Noto Sans TC", "Source Han Sans TC"),
    (KOREA, SERIF): ("Noto Serif CJK KR", "Noto Serif KR", "Source Han Serif K", "UnBatang", "NanumMyeongjo"),
    (KOREA, SANS): ("Noto Sans CJK KR", "Noto Sans KR", "Source Han Sans K", "NanumGothic", "UnDotum"),
}  # fmt: skip
"""What to show East Asian text with, by region and class, best first."""

NATIVE_NAMES: dict[str, str] = {
    "ＭＳ 明朝": "MS Mincho",
    "ＭＳ Ｐ明朝": "MS PMincho",
    "ＭＳ ゴシック": "MS Gothic",
    "ＭＳ Ｐゴシック": "MS PGothic",
    "メイリオ": "Meiryo",
    "游ゴシック": "Yu Gothic",
    "游明朝": "Yu Mincho",
    "ヒラギノ角ゴ Pro": "Hiragino Kaku Gothic Pro",
    "ヒラギノ角ゴ ProN": "Hiragino Kaku Gothic ProN",
    "ヒラギノ明朝 Pro": "Hiragino Mincho Pro",
    "ヒラギノ明朝 ProN": "Hiragino Mincho ProN",
    "宋体": "SimSun",
    "新宋体": "NSimSun",
    "黑体": "SimHei",
    "楷体": "KaiTi",
    "楷体_GB2312": "KaiTi_GB2312",
    "仿宋": "FangSong",
    "仿宋_GB2312": "FangSong_GB2312",
    "微软雅黑": "Microsoft YaHei",
    "等线": "DengXian",
    "华文宋体": "STSong",
    "华文楷体": "STKaiti",
    "华文仿宋": "STFangsong",
    "华文中宋": "STZhongsong",
    "华文细黑": "STXihei",
    "华文黑体": "STHeiti",
    "幼圆": "YouYuan",
    "隶书": "LiSu",
    "苹方-简": "PingFang SC",
    "萍方-简": "PingFang SC",
    "思源黑体": "Source Han Sans SC",
    "思源宋体": "Source Han Serif SC",
    "細明體": "MingLiU",
    "新細明體": "PMingLiU",
    "標楷體": "DFKai-SB",
    "微軟正黑體": "Microsoft JhengHei",
    "맑은 고딕": "Malgun Gothic",
    "굴림": "Gulim",
    "굴림체": "GulimChe",
    "돋움": "Dotum",
    "돋움체": "DotumChe",
    "바탕": "Batang",
    "바탕체": "BatangChe",
    "궁서": "Gungsuh",
    "궁서체": "GungsuhChe",
    "새굴림": "New Gulim",
    "나눔고딕": "Nanum Gothic",
}
"""The names of East Asian families in their own script."""

_INTERNAL_MARKS = frozenset(map(family_key, (
    "Thorndale AMT", "Albany AMT", "Cumberland AMT", "Lucidasans", "Source Han Sans SC", "Source Han Serif SC",
    "Source Han Sans HW SC", "Lohit Hindi", "Andale Sans UI", "Timmons", "MSung Light SC", "HG Mincho Light J",
    "Noto Sans Mono CJK SC", "Source Han Sans JP", "Source Han Sans TC", "Source Han Sans KR", "Nimbus Sans L",
)))  # fmt: skip
"""Names that only LibreOffice's own lists of default fonts hold (VCL.xcu)."""
_OWN_NAMES = frozenset(map(family_key, (
    "", "OpenSymbol", "StarSymbol", "Andale Sans UI", "Liberation Sans", "Liberation Serif", "Liberation Mono",
    "DejaVu Sans", "Interface User", "Menu", "Default",
)))  # fmt: skip
"""Families that LibreOffice asks for by itself, for rulers, bullets, empty styles."""

_METRIC = {family_key(name): group for group in METRIC_GROUPS for name in group}
_SIMILAR = {family_key(name): stand_ins for name, stand_ins in SIMILAR.items()}
_NATIVE = {family_key(native): name for native, name in NATIVE_NAMES.items()}
_CJK = {family_key(name): place for place, names in _CJK_NAMES.items() for name in names}
_SYMBOLS = frozenset(map(family_key, SYMBOL_FAMILIES))
_GENERIC = {family_key(name): style_class for name, style_class in GENERIC.items()}


def metric_twins(family: str) -> tuple[str, ...]:
    """Families of the same widths, best first; empty if none is known."""
    key = family_key(family)
    return tuple(name for name in _METRIC.get(key, ()) if family_key(name) != key)


def similar(family: str) -> tuple[str, ...]:
    """Families that look alike, best first."""
    key = family_key(family)
    if key in _SYMBOLS:
        return SYMBOL_STAND_INS
    return _SIMILAR.get(key, ())


def western_name(family: str) -> str:
    """The Latin name of a family that is asked for in its own script; else the name itself."""
    return _NATIVE.get(family_key(family), family)


def generic_class(family: str) -> str | None:
    """The class that a generic name stands for."""
    return _GENERIC.get(family_key(family))


def cjk_place(family: str) -> tuple[str, str] | None:
    """Region and class of a well-known East Asian family."""
    return _CJK.get(family_key(western_name(family)))


def style_class(family: str, *, fixed_pitch: bool = False) -> str:
    """The class of a family that nothing is known of, from the words in its name."""
    key = family_key(family)
    if fixed_pitch or any(word in key for word in _MONO_WORDS):
        return MONO
    if "sans" in key or "gothic" in key:
        return SANS
    return SERIF if any(word in key for word in _SERIF_WORDS) else SANS


def is_internal(families: list[str]) -> bool:
    """Whether a request is LibreOffice's own (a list of defaults, the font of its rulers) and no document's."""
    keys = list(map(family_key, families))
    if len(keys) > 2 and any(key in _INTERNAL_MARKS for key in keys):
        return True
    return all(key in _OWN_NAMES for key in keys)
