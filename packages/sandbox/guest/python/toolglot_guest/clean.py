"""Makes JSON of Python values by a written rule, and says what it changed."""

import base64
import datetime
import json
import math

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


def _short(value):
    try:
        text = repr(value)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"<{type(value).__name__} object>"
    return text if len(text) <= MAX_REPR else text[:MAX_REPR] + "…"


class Cleaner:
    """`strict`: an object without a JSON form raises Unfit instead of becoming its repr."""

    def __init__(self, max_bytes, strict=False):
        self.max_bytes = max_bytes
        self.strict = strict
        self.notes = []
        self.left = max_bytes
        self.open = set()

    def note(self, path, source, target):
        """`path`: links of (outer path, key), so that it costs nothing where it is not needed."""
        if len(self.notes) < MAX_NOTES:
            self.notes.append({"path": _written(path), "from": source, "to": target})

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
            self.note(path, repr(value), "null")
            return None
        if depth > MAX_DEPTH:
            raise TooLarge(f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(value, (dict, list, tuple, set, frozenset)):
            return self.container(value, path, depth)
        return self.other(value, path)

    def integer(self, value, path):
        value = int.__int__(value)
        if -_exact <= value <= _exact:
            return value
        self.spend(value.bit_length() * 3 // 10)
        text = _decimal(value)
        self.note(path, "integer beyond 2^53", "decimal text")
        return text

    def container(self, value, path, depth):
        if id(value) in self.open:
            self.note(path, "cycle", "null")
            return None
        self.open.add(id(value))
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
        for key, item in list(dict.items(value)):
            text = key if type(key) is str else self.key(key, path)
            if text == "__proto__":
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

    def other(self, value, path):
        if isinstance(value, (bytes, bytearray, memoryview)):
            raw = bytes(value)
            self.spend(len(raw) * 4 // 3)
            self.note(path, type(value).__name__, "base64 text")
            return base64.b64encode(raw).decode()
        if isinstance(value, (datetime.date, datetime.time)):
            self.spend(30)
            self.note(path, type(value).__name__, "ISO 8601 text")
            return value.isoformat()
        if self.strict:
            raise Unfit(f"{type(value).__name__} has no JSON form")
        text = _short(value)
        self.spend(len(text))
        self.note(path, type(value).__name__, "repr")
        return text


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
