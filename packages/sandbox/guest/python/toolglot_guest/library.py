"""The libraries a program finds ready: facades with the public names only, and nothing that reaches a file."""

import datetime as _datetime
import difflib
import json as _json
import math as _math
import random as _random
import re as _re
import statistics as _statistics


class Library:
    """A library without private names. Reads like a module."""

    def __new__(cls, name, members):
        # No `__init__`: a program could call that one again.
        library = super().__new__(cls)
        object.__setattr__(library, "__dict__", {**members, "_Library__name": name})
        return library

    def __repr__(self):
        return f"<library '{self.__name}'>"

    def __getattr__(self, name):
        close = difflib.get_close_matches(name, [key for key in vars(self) if not key.startswith("_")], 1)
        hint = f". Did you mean: '{close[0]}'?" if close else ""
        raise AttributeError(f"module '{self.__name}' has no attribute '{name}'{hint}")

    def __setattr__(self, name, value):
        raise AttributeError(f"the library {self.__name} is read-only")

    def __delattr__(self, name):
        self.__setattr__(name, None)


def _public(module, leave_out=()):
    names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    return {name: getattr(module, name) for name in names if name not in leave_out}


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


LIBRARIES = {
    "math": Library("math", _public(_math)),
    "json": Library("json", _public(_json, ("load", "dump"))),
    "datetime": datetime,
    "re": Library("re", {**_public(_re)}),
    "random": Library("random", {**_public(_random, ("SystemRandom",)), "Random": Random, "seed": _seed}),
    "statistics": Library("statistics", {**_public(_statistics), "kde_random": kde_random}),
}

# Types of values that the libraries give and that have no name in them.
OTHER_TYPES = (type(_statistics.linear_regression([1, 2], [1, 2])), type(_re.NOFLAG))

# What `from library import *` binds.
PUBLIC = {
    name: [key for key in vars(library) if not key.startswith("_")] for name, library in LIBRARIES.items() if name != "datetime"
}
PUBLIC["datetime"] = ["date", "datetime", "time", "timedelta", "timezone", "tzinfo", "UTC", "MINYEAR", "MAXYEAR"]
