"""Makes JSON of Python values by a written rule, and says what it changed."""

import array
import base64
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import fractions
import json
import math
import re
import types
import uuid

MAX_DEPTH = 200
MAX_NOTES = 100
MAX_REPR = 10_000
_exact = 2**53


class _Encoder(json.JSONEncoder):
    """With methods of its own: a program may put others into the library's class."""

    encode = json.JSONEncoder.encode
    iterencode = json.JSONEncoder.iterencode
    default = json.JSONEncoder.default


class _Decoder(json.JSONDecoder):
    """The same."""

    decode = json.JSONDecoder.decode
    raw_decode = json.JSONDecoder.raw_decode


_encode = _Encoder(ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")).encode
# JSON in ASCII, and back.
write = _Encoder(allow_nan=False, separators=(",", ":")).encode
read = _Decoder().decode


class TooLarge(Exception):
    """The value is larger, or nested deeper, than it may be."""


class Unfit(Exception):
    """A value that has no JSON form, where one is needed."""


class SameKeys(Exception):
    """Two keys of a dict that are one key in JSON."""


# Values that a program makes to be gone through once, or that are views of others.
_lazy = (
    collections.abc.Iterator, collections.abc.KeysView, collections.abc.ValuesView, collections.abc.ItemsView, range,
    collections.deque, collections.UserList, array.array,
)  # fmt: skip
_as_text = (decimal.Decimal, fractions.Fraction, uuid.UUID, collections.UserString)
# An address helps nobody, and differs from run to run.
_address = re.compile(" at 0x[0-9a-f]+(?=>)")


def _short(value):
    try:
        text = repr(value)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"<{type(value).__name__} object>"
    text = _address.sub("", text)
    return text if len(text) <= MAX_REPR else text[:MAX_REPR] + "…"


class Cleaner:
    """`strict`: for arguments. What has no JSON form, or is no JSON number, raises Unfit instead of becoming text or null. `tables`: objects that say themselves
    how they are written as lists and dicts, as those of numpy and pandas do, are asked."""

    def __init__(self, max_bytes, strict=False, tables=False):
        self.tables = tables
        self.max_bytes = max_bytes
        self.strict = strict
        self.notes = []
        self.left = max_bytes
        self.open = set()

    def note(self, path, source, target):
        """`path`: links of (outer path, key), so that it costs nothing where it is not needed."""
        if len(self.notes) < MAX_NOTES:
            self.notes.append({"path": _written(path), "from": source, "to": target})

    def refuse(self, path, what, value):
        """What an argument can't be, and a result can: there it is written in another way, and noted."""
        if self.strict:
            raise Unfit(f"{_written(path)} is {what}, which has no JSON form (it was {told(value)})")

    def spend(self, size):
        """Keeps a huge value from being built before its size is known."""
        self.left -= size
        if self.left < 0:
            raise TooLarge(f"more than {self.max_bytes} bytes as JSON")

    def clean(self, value, path=(), depth=0):
        kind = type(value)
        if kind is int and -_exact <= value <= _exact or value is None or kind is bool:
            return value
        if isinstance(value, str):
            self.spend(len(value))
            return str.__str__(value)
        if isinstance(value, int):
            return self.integer(value, path)
        if isinstance(value, float):
            value = float.__float__(value)
            if math.isfinite(value):
                return value
            self.refuse(path, repr(value), value)
            self.note(path, repr(value), "null")
            return None
        if depth > MAX_DEPTH:
            raise TooLarge(f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(value, (dict, list, tuple, set, frozenset)):
            return self.container(value, path, depth)
        if isinstance(value, _lazy):
            return self.lazy(value, path, depth)
        return self.other(value, path, depth)

    def integer(self, value, path):
        value = int.__int__(value)
        if -_exact <= value <= _exact:
            return value
        self.refuse(path, "an integer beyond 2^53", value)
        self.spend(value.bit_length() * 3 // 10)
        text = _decimal(value)
        self.note(path, "integer beyond 2^53", "decimal text")
        return text

    def lazy(self, value, path, depth):
        """Takes one item after the other, so that one without an end ends at the limit."""
        if not self.enter(value, path):
            return None
        try:
            self.note(path, type(value).__name__, "array")
            self.spend(2)
            out = []
            for item in value:
                self.spend(2)
                out.append(self.clean(item, (path, len(out)), depth + 1))
            return out
        finally:
            self.open.discard(id(value))

    def enter(self, value, path):
        if id(value) in self.open:
            self.refuse(path, "part of a cycle", value)
            self.note(path, "cycle", "null")
            return False
        self.open.add(id(value))
        return True

    def container(self, value, path, depth):
        if not self.enter(value, path):
            return None
        try:
            # Each item takes at least its one character and a comma, each entry four more.
            self.spend(2 + len(value) * (6 if isinstance(value, dict) else 2))
            if isinstance(value, dict):
                return self.mapping(value, path, depth)
            if isinstance(value, (set, frozenset)):
                self.note(path, type(value).__name__, "array")
                value = _sorted(value)
            elif isinstance(value, tuple):
                self.note(path, "tuple", "array")
            return [self.clean(item, (path, index), depth + 1) for index, item in enumerate(list(value))]
        finally:
            self.open.discard(id(value))

    def mapping(self, value, path, depth):
        out = {}
        keys = {}
        for key, item in list(dict.items(value)):
            text = key if type(key) is str else self.key(key, path)
            if text in keys:
                raise SameKeys(f"the keys {_named(keys[text])} and {_named(key)} are the same text{_place(path)} (it was {told(value)})")
            keys[text] = key
            if text == "__proto__":
                self.refuse((path, text), "a key", item)
                # The host takes no such key.
                self.note((path, text), "key", "dropped")
                continue
            self.spend(len(text))
            out[text] = self.clean(item, (path, text), depth + 1)
        return out

    def key(self, key, path):
        if isinstance(key, str):
            return str.__str__(key)
        if key is None or isinstance(key, bool):
            text = {None: "null", True: "true", False: "false"}[key]
        elif isinstance(key, int):
            self.spend(key.bit_length() * 3 // 10)
            text = _decimal(int.__int__(key))
        elif isinstance(key, (datetime.date, datetime.time)):
            text = key.isoformat()
        else:
            text = _short(key)
        self.note((path, text), f"key of type {type(key).__name__}", "text")
        return text

    def other(self, value, path, depth):
        if isinstance(value, (bytes, bytearray, memoryview)):
            raw = bytes(value)
            self.spend(len(raw) * 4 // 3)
            self.note(path, type(value).__name__, "base64 text")
            return base64.b64encode(raw).decode()
        if isinstance(value, (datetime.date, datetime.time)):
            self.spend(30)
            self.note(path, type(value).__name__, "ISO 8601 text")
            return value.isoformat()
        kind = type(value)
        if dataclasses.is_dataclass(kind):
            return self.record(value, {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}, path, depth)
        if isinstance(value, enum.Enum):
            self.note(path, kind.__name__, "its value")
            return self.clean(value.value, path, depth + 1)
        if isinstance(value, collections.abc.Mapping):
            return self.record(value, dict(value), path, depth)
        if self.tables:
            found, target = _told(value, kind)
            if target:
                return self.told(value, found, target, path, depth)
        self.refuse(path, f"{_article(kind.__name__)} {kind.__name__}", value)
        if isinstance(value, _as_text):
            text = str(value)
            self.spend(len(text))
            self.note(path, kind.__name__, "text")
            return text
        text = _short(value)
        self.spend(len(text))
        self.note(path, kind.__name__, "repr")
        return text

    def told(self, value, found, target, path, depth):
        if not self.enter(value, path):
            return None
        try:
            self.note(path, type(value).__name__, target)
            return self.clean(found, path, depth + 1)
        finally:
            self.open.discard(id(value))

    def record(self, value, members, path, depth):
        if not self.enter(value, path):
            return None
        try:
            self.note(path, type(value).__name__, "object")
            self.spend(2 + len(members) * 6)
            return self.mapping(members, path, depth)
        finally:
            self.open.discard(id(value))


def _told(value, kind):
    """What an object of numpy or pandas, or one like it, says of itself, and what that is."""
    if hasattr(kind, "dtype") and hasattr(kind, "tolist"):
        found = value.tolist()
        return found, "array" if isinstance(found, list) else "number"
    if hasattr(kind, "to_dict"):
        try:
            return value.to_dict(orient="records"), "array"
        except TypeError:
            return value.to_dict(), "object"
    return None, None


def _article(name):
    return "an" if name[:1] in "AEIOUaeiou" else "a"


def _named(key):
    text = _short(key)
    return text if len(text) <= 80 else text[:80] + "…"


def _place(path):
    return f" (in {_written(path)})" if path else ""


def _written(path):
    """`items[2].price`"""
    parts = []
    while path:
        path, key = path
        parts.append(f"[{key}]" if type(key) is int else f".{key}")
    return "".join(reversed(parts)).removeprefix(".")[:200]


def _decimal(value):
    try:
        return str(value)
    except ValueError:
        # Python refuses more than 4300 digits at once; halves are allowed.
        half = value.bit_length() * 3 // 20
        high, low = divmod(abs(value), 10**half)
        return ("-" if value < 0 else "") + _decimal(high) + _decimal(low).zfill(half)


def _sorted(values):
    try:
        return sorted(values)
    except Exception:
        return list(values)


def dump(value, max_bytes):
    """JSON text of a cleaned value. Raises TooLarge."""
    text = _encode(value)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        # Lone surrogates cannot cross as UTF-8; as escapes they can.
        text = write(value)
        size = len(text)
    if size > max_bytes:
        raise TooLarge(f"{size} bytes as JSON, more than {max_bytes}")
    return text, size


MAX_SHOWN = 120
# Read past what a program's classes may answer in their place.
_name = type.__dict__["__name__"].__get__
_args = BaseException.__dict__["args"].__get__


def shown(value):
    """The type of a value, and a short text of it."""
    return str.__str__(_name(type(value)))[:MAX_SHOWN], _cut(_text(value, 3))


def told(value):
    """Type, size and beginning of a value that was refused, for the words of the error."""
    kind, text = shown(value)
    if type(value) in _brackets or type(value) in _sized:
        return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} of {len(value)}: {text}"
    return text


def _cut(text):
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def _text(value, depth):
    """Only of values whose class is the language's own, so that nobody else's code is called."""
    kind = type(value)
    if kind is str or kind is bytes or kind is bytearray:
        return repr(value if len(value) <= MAX_SHOWN else value[:MAX_SHOWN])
    if kind is int:
        return repr(value) if value.bit_length() <= 400 else f"<an int of {value.bit_length()} bits>"
    if value is None or kind is bool or kind is float or kind is complex:
        return repr(value)
    if kind is types.FunctionType:
        return "<function>"
    if kind is decimal.Decimal:
        return repr(value)
    if issubclass(kind, BaseException):
        return str.__str__(_name(kind)) + _collection(_args(value), tuple, depth)
    if kind in _brackets:
        return _collection(value, kind, depth)
    return f"<{str.__str__(_name(kind))}>"


_sized = (str, bytes, bytearray)
_brackets = {list: "[]", tuple: "()", set: "{}", frozenset: "{}", dict: "{}"}


def _collection(value, kind, depth):
    left, right = _brackets[kind]
    if not value:
        return f"{kind.__name__}()" if kind in (set, frozenset) else left + right
    if depth == 0:
        return f"{left}…{right}"
    parts = []
    room = MAX_SHOWN
    for item in value.items() if kind is dict else value:
        if room <= 0:
            parts.append("…")
            break
        part = ": ".join(_text(each, depth - 1) for each in item) if kind is dict else _text(item, depth - 1)
        parts.append(part)
        room -= len(part)
    comma = "," if kind is tuple and len(value) == 1 else ""
    return left + ", ".join(parts) + comma + right
