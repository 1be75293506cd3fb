"""Goes through what the libraries import or compute at their first use, before the snapshot is taken: no program pays for it."""

import gc
import importlib
import sys
import warnings
import zoneinfo

import _strptime

from . import library

_modules = library.MODULES
# Codecs that text is read and written with; each is a module of its own.
_codecs = (
    "ascii latin_1 utf_8 utf_8_sig utf_16 utf_16_le utf_16_be utf_32 utf_32_le utf_32_be utf_7 cp1250 cp1251 cp1252 cp437 "
    "iso8859_1 iso8859_2 iso8859_15 koi8_r mac_roman gbk gb2312 gb18030 big5 shift_jis euc_jp iso2022_jp euc_kr idna "
    "punycode unicode_escape raw_unicode_escape base64_codec hex_codec quopri_codec rot_13 uu_codec zlib_codec bz2_codec"
)
# Kept compiled by the library, as many as it likes to keep.
_dates = (
    "%Y-%m-%d|%Y-%m-%d %H:%M|%Y-%m-%d %H:%M:%S|%Y-%m-%d %H:%M:%S.%f|%Y-%m-%dT%H:%M:%S|%Y-%m-%dT%H:%M:%SZ|%Y-%m-%dT%H:%M:%S.%fZ|"
    "%Y-%m-%dT%H:%M:%S%z|%Y-%m-%dT%H:%M|%Y/%m/%d|%Y/%m/%d %H:%M:%S|%d/%m/%Y|%d/%m/%Y %H:%M|%m/%d/%Y|%m/%d/%Y %H:%M|%d.%m.%Y|"
    "%d-%m-%Y|%Y%m%d|%d %b %Y|%d %B %Y|%b %d, %Y|%B %d, %Y|%b %d %Y|%H:%M|%H:%M:%S|%I:%M %p|%Y-%m|%Y年%m月%d日"
)


# Whose effect would be found by programs.
_lasting = frozenset(
    "field_size_limit register_dialect unregister_dialect setfirstweekday setcontext purge clear_overloads setstate seed "
    "overload ABCMeta".split()
)


def _quietly(function, *args):
    try:
        return function(*args)
    except Exception:
        return None


def _dates_and_times():
    datetime = library.datetime
    _strptime._CACHE_MAX_SIZE = 200
    moment = datetime(2024, 1, 2, 3, 4, 5)
    for form in _dates.split("|"):
        datetime.strptime(moment.astimezone(datetime.timezone.utc).strftime(form), form)
        datetime.date.strptime(moment.strftime("%Y-%m-%d"), "%Y-%m-%d")
    datetime.parse("Jan 02, 2024")


def _own_classes():
    """What the libraries do for a class, as programs write them."""
    text = """
import dataclasses, enum, typing, functools, abc, contextlib
@dataclasses.dataclass(order=True)
class Point:
    x: int
    y: list = dataclasses.field(default_factory=list)
    z: "Point | None" = None
@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    x: int = 1
    y: nowhere = None
class Color(enum.Enum):
    RED = enum.auto()
class Level(enum.IntFlag):
    A = enum.auto()
class Row(typing.NamedTuple):
    a: int
class Keys(typing.TypedDict):
    a: int
class Box[T]:
    def get(self) -> T: ...
class Shape(typing.Protocol):
    def area(self) -> int: ...
type Name = str
@functools.singledispatch
def kind(x): ...
@kind.register
def _(x: int): ...
def text(x: int, *more: "str") -> list[int]: ...
dataclasses.asdict(Point(1, [Frozen()])), repr(Point(1)), Point(1) < Point(2), Level.A | Level(2), Color("x") if False else Color(1)
typing.get_type_hints(text), kind(1), Box[int](), isinstance(1, typing.runtime_checkable(Shape))
t"{text}"
"""
    own = {"__name__": "warm", "__builtins__": __builtins__}
    sys.modules["warm"] = type(sys)("warm")
    _quietly(exec, text, own)
    del sys.modules["warm"]


def _by_name():
    """Each function of each library, with the few kinds of values that many take."""
    one, text, data, rows = 3, "a b\nc", b"ab", [1, 2, 3]
    for name, module in list(_modules.items()):
        if module is library.datetime:
            continue
        for member in library.public_names(module):
            value = getattr(module, member)
            if member in _lasting or not callable(value):
                continue
            for args in ((), (one,), (text,), (data,), (rows,), (text, text), (one, one), (rows, rows), (text, rows), (text, text, text)):
                _quietly(value, *args)


def everything():
    output = sys.stdout
    sys.stdout = None
    state = _modules["random"].getstate()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for codec in _codecs.split():
            _quietly(importlib.import_module, f"encodings.{codec}")
            _quietly("a".encode, codec)
        _dates_and_times()
        _own_classes()
        _by_name()
    # Looks for time zones in places that take modules of their own.
    _quietly(zoneinfo.ZoneInfo, "Nowhere/Nowhere")
    _quietly(divmod, 10**20000, 7**9000)
    _modules["random"].setstate(state)
    sys.stdout = output
    gc.collect()


everything()
