"""The libraries a program finds ready: facades with the public names only, and nothing that reaches a file.

Which there are stands in libraries.json, for the host as well. What is left out of each, or put in its place, stands here
and in restricted.py.
"""

import datetime as _datetime
import difflib
import importlib
import json
import random as _random
import re as _re
import statistics as _statistics
import types
import uuid as _uuid


class Library:
    """A library without private names. Reads like a module."""

    def __new__(cls, name, members):
        # No `__init__`: a program could call that one again.
        library = super().__new__(cls)
        own = {"__name__": name, "__doc__": f"The library {name}.", "_Library__name": name}
        object.__setattr__(library, "__dict__", {**members, **own})
        return library

    def __repr__(self):
        return f"<library '{self.__name}'>"

    def __getattr__(self, name):
        message = f"module '{self.__name}' has no attribute '{name}'{near_miss(name, public_names(self))}"
        raise AttributeError(message, name=name, obj=self)

    def __setattr__(self, name, value):
        raise AttributeError(f"the library {self.__name} is read-only")

    def __delattr__(self, name):
        self.__setattr__(name, None)


def wrapped(function):
    """A function in C as one in Python: that has no module on it."""

    def call(*args, **kwargs):
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__, call.__module__ = function.__doc__, function.__module__
    return call


def near_miss(name, names):
    """The end of a message: `. Did you mean: 'loads'?`, or nothing."""
    close = difflib.get_close_matches(name, names, 1)
    return f". Did you mean: '{close[0]}'?" if close else ""


# --- datetime ---------------------------------------------------------------------------------------------------------


class _Both:
    """On the class, the module's class of that name; on an instance, the method."""

    def __init__(self, on_class, name):
        self.on_class = on_class
        self.name = name

    def __get__(self, instance, owner):
        if instance is None:
            return self.on_class
        return getattr(_datetime.datetime, self.name).__get__(instance)


_formats = ("%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y/%m/%d", "%d %b %Y", "%b %d, %Y")


class _DatetimeType(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, _datetime.datetime) if cls is datetime else type.__instancecheck__(cls, instance)

    def __subclasscheck__(cls, other):
        return issubclass(other, _datetime.datetime) if cls is datetime else type.__subclasscheck__(cls, other)


class datetime(_datetime.datetime, metaclass=_DatetimeType):
    """datetime.datetime that also answers as the module: datetime.now() and datetime.datetime.now() both work."""

    date = _Both(_datetime.date, "date")
    time = _Both(_datetime.time, "time")
    timedelta = _datetime.timedelta
    timezone = _datetime.timezone
    tzinfo = _Both(_datetime.tzinfo, "tzinfo")
    UTC = _datetime.UTC
    MINYEAR = _datetime.MINYEAR
    MAXYEAR = _datetime.MAXYEAR

    def __repr__(self):
        text = super().__repr__()
        return f"datetime.{text}" if type(self) is datetime else text

    @classmethod
    def parse(cls, text):
        """ISO 8601, or YYYY-MM-DD HH:MM[:SS], YYYY/MM/DD, DD Mon YYYY, Mon DD, YYYY. Anything else: ValueError."""
        if not isinstance(text, str):
            raise TypeError(f"datetime.parse() takes text, not {type(text).__name__}")
        try:
            return cls.fromisoformat(text.strip())
        except ValueError:
            pass
        for form in _formats:
            try:
                return cls.strptime(text.strip(), form)
            except ValueError:
                pass
        raise ValueError(f"not a date that datetime.parse() can read: {text[:80]!r}")


datetime.__module__ = "datetime"
datetime.datetime = datetime
datetime.min = datetime(1, 1, 1)
datetime.max = datetime(9999, 12, 31, 23, 59, 59, 999999)


# --- random -----------------------------------------------------------------------------------------------------------

# Where generators that are not given a seed get theirs: fresh for each run, fixed when the host asked for it.
_entropy = _random.Random(0)


class Random(_random.Random):
    """random.Random; without a seed it takes one from the run's own, so that a fixed seed fixes all."""

    def __init__(self, x=None):
        super().__init__(_entropy.getrandbits(256) if x is None else x)

    def seed(self, a=None, version=2):
        super().seed(_entropy.getrandbits(256) if a is None else a, version)


Random.__module__ = "random"


def _seed(a=None, version=2):
    """Initialize the generator; without a value, from the run's own seed."""
    _random.seed(_entropy.getrandbits(256) if a is None else a, version)


_seed.__name__ = _seed.__qualname__ = "seed"


def kde_random(data, h, kernel="normal", *, seed=None):
    """statistics.kde_random; without a seed from the run's own: the original asks the system for one, and there is none."""
    return _statistics.kde_random(data, h, kernel, seed=_entropy.getrandbits(256) if seed is None else seed)


kde_random.__module__ = "statistics"


def reseed(seed):
    """Called once a run: a snapshot holds the generator's state, and every child of it would draw the same numbers."""
    _entropy.seed(seed)
    _random.seed(_entropy.getrandbits(256))


def random_bytes(count):
    """Random bytes, from the run's own seed."""
    return _entropy.randbytes(count)


def uuid4():
    """A random UUID, from the run's own seed."""
    return _uuid.UUID(int=_entropy.getrandbits(128), version=4)


uuid4.__module__ = "uuid"

# --- all of them ------------------------------------------------------------------------------------------------------

# Only these of a library that has more than it should, or says nothing about which of its names are public.
_only = {
    "abc": "ABC abstractmethod abstractclassmethod abstractproperty abstractstaticmethod get_cache_token update_abstractmethods",
    "io": (
        "StringIO BytesIO TextIOWrapper BufferedReader BufferedWriter BufferedRandom BufferedRWPair IOBase RawIOBase "
        "BufferedIOBase TextIOBase IncrementalNewlineDecoder UnsupportedOperation BlockingIOError DEFAULT_BUFFER_SIZE "
        "SEEK_SET SEEK_CUR SEEK_END"
    ),
    # uuid1, uuid6 and uuid7 tell of the machine, or ask the system for random numbers.
    "uuid": (
        "UUID SafeUUID NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500 RESERVED_NCS RFC_4122 RESERVED_MICROSOFT "
        "RESERVED_FUTURE NIL MAX uuid3 uuid5 uuid8"
    ),
}
_left_out = {
    "calendar": "LocaleTextCalendar LocaleHTMLCalendar",
    "contextlib": "chdir redirect_stdout redirect_stderr",
    # Make classes of names that are text.
    "dataclasses": "make_dataclass",
    "enum": "EnumType EnumMeta EnumDict global_enum global_enum_repr global_flag_repr global_str pickle_by_global_name pickle_by_enum_name",
    "functools": "update_wrapper wraps",
    "json": "load dump",
    "operator": "attrgetter methodcaller",
    "random": "SystemRandom",
    "typing": "ForwardRef evaluate_forward_ref Type get_origin",
}  # fmt: skip
_instead = {
    "random": {"Random": Random, "seed": _seed},
    "statistics": {"kde_random": kde_random},
    "uuid": {"uuid4": uuid4},
}


def facade(name, more=None, left_out=None, only=None):
    """The library with the members that a program may have; `left_out` and `only` are names in one text."""
    module = importlib.import_module(name)
    only = (only or _only[name]).split() if only or name in _only else getattr(module, "__all__", None)
    names = only or [key for key in vars(module) if not key.startswith("_")]
    left_out = (_left_out.get(name, "") if left_out is None else left_out).split()
    members = {key: getattr(module, key) for key in names if key not in left_out and hasattr(module, key)}
    members = {key: value for key, value in members.items() if not isinstance(value, types.ModuleType)}
    return Library(name, {**members, **_instead.get(name, {}), **(more or {})})


with open(__file__.replace("library.py", "libraries.json"), encoding="utf-8") as _file:
    _lists = json.load(_file)
SPECIFICATION = tuple(_lists["specification"])
NAMES = (*SPECIFICATION, *_lists["standard"])
# Those that programs of the style "notebook" may import besides.
NOTEBOOK_NAMES = tuple(_lists["notebook"])
# Imported with the library before the dot, which has them as members.
_parts = {"collections.abc": facade("collections.abc")}

LIBRARIES = {
    name: datetime
    if name == "datetime"
    else facade(name, {part.split(".")[1]: value for part, value in _parts.items() if part.startswith(f"{name}.")})
    for name in NAMES
}
MODULES = {**LIBRARIES, **_parts}

# Types of values that the libraries give and that have no name in them.
OTHER_TYPES = (type(_statistics.linear_regression([1, 2], [1, 2])), type(_re.NOFLAG))
_datetime_names = ("date", "datetime", "time", "timedelta", "timezone", "tzinfo", "UTC", "MINYEAR", "MAXYEAR")


def put(name, **members):
    """Adds members to a library, before the first program."""
    vars(LIBRARIES[name]).update(members)


def public_names(library):
    """What `from library import *` binds."""
    if library is datetime:
        return _datetime_names
    return [key for key in vars(library) if not key.startswith("_")]


def allowed(names):
    """The modules that a program may import, by name: those of `names`, and their parts."""
    return {name: module for name, module in MODULES.items() if name.split(".")[0] in names}


def import_module(name, member=None):
    """What `import name` or `from name import member` binds. The guard has read the name."""
    module = MODULES[name]
    if member is None:
        return module
    names = public_names(module)
    if member not in names:
        message = f"cannot import name '{member}' from '{name}'{near_miss(member, names)}"
        raise ImportError(message, name=name, name_from=member)
    return getattr(module, member)
