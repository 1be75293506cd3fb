"""The libraries of programs in the style "notebook": facades that bind what Python's own import binds.

Which there are stands in libraries.json. No module, frame or built-in that the guard refuses hangs on any of them.
"""

import asyncio
import hmac as _hmac
import importlib
import sys
import traceback as _traceback
import types
import zoneinfo as _zoneinfo

import base64
import datetime as _datetime
import sqlite3 as _sqlite3

from . import data_files, event_loop, library, restricted, small_libraries  # noqa: F401 - restricted changes the facades of both styles
from .library import Library, facade

# --- sys --------------------------------------------------------------------------------------------------------------

_recursion_limit = sys.getrecursionlimit()


def setrecursionlimit(limit, /):
    """sys.setrecursionlimit; what is more than the engine's own limit changes nothing."""
    if type(limit) is not int:
        raise TypeError("an integer is required")
    if limit < 1:
        raise ValueError("recursion limit must be greater or equal than 1")
    sys.setrecursionlimit(min(max(limit, 200), _recursion_limit))


setrecursionlimit.__module__ = "sys"


class _Sys(Library):
    """`sys.stdout` and `sys.stderr` are those that print() writes to, also when they are assigned."""

    @property
    def stdout(self):
        return sys.stdout

    @property
    def stderr(self):
        return sys.stderr

    def __setattr__(self, name, value):
        if name not in ("stdout", "stderr"):
            raise AttributeError("the library sys is read-only, but for stdout and stderr")
        setattr(sys, name, value)


_SYS = _Sys(
    "sys",
    {
        **{
            name: getattr(sys, name)
            for name in "version_info version maxsize maxunicode byteorder platform float_info int_info hash_info hexversion copyright".split()
        },
        **{name: library.wrapped(getattr(sys, name)) for name in ("exit", "getrecursionlimit", "getsizeof", "intern", "exception")},
        "setrecursionlimit": setrecursionlimit,
        "argv": ["program.py"],
        # Read through the properties of the class.
        "stdout": None,
        "stderr": None,
        "exc_info": lambda: (None, None, None) if sys.exception() is None else (type(sys.exception()), sys.exception(), None),
    },
)

# --- secrets ----------------------------------------------------------------------------------------------------------


def _secrets():
    default = 32

    def token_bytes(nbytes=None):
        return library.random_bytes(default if nbytes is None else nbytes)

    def token_hex(nbytes=None):
        return token_bytes(nbytes).hex()

    def token_urlsafe(nbytes=None):
        return base64.urlsafe_b64encode(token_bytes(nbytes)).rstrip(b"=").decode("ascii")

    def randbelow(exclusive_upper_bound):
        if exclusive_upper_bound <= 0:
            raise ValueError("Upper bound must be positive.")
        return library._entropy.randrange(exclusive_upper_bound)

    def randbits(k):
        return library._entropy.getrandbits(k)

    def choice(seq):
        return library._entropy.choice(seq)

    found = (token_bytes, token_hex, token_urlsafe, randbelow, randbits, choice)
    for function in found:
        function.__module__, function.__qualname__ = "secrets", function.__name__
    return Library("secrets", {**{one.__name__: one for one in found}, "compare_digest": _hmac.compare_digest})


# --- all of them ------------------------------------------------------------------------------------------------------

_asyncio = (
    "gather create_task ensure_future wait wait_for sleep shield timeout timeout_at Timeout TaskGroup Semaphore "
    "BoundedSemaphore Lock Event Condition Barrier BrokenBarrierError Queue PriorityQueue LifoQueue QueueEmpty QueueFull "
    "QueueShutDown as_completed current_task all_tasks get_running_loop set_event_loop iscoroutine "
    "iscoroutinefunction isfuture wrap_future CancelledError InvalidStateError Future Task Handle TimerHandle "
    "FIRST_COMPLETED FIRST_EXCEPTION ALL_COMPLETED TimeoutError eager_task_factory"
)
_sqlite = (
    "Connection Cursor Row Blob Error Warning DatabaseError DataError IntegrityError InterfaceError InternalError "
    "NotSupportedError OperationalError ProgrammingError Binary Date Time Timestamp DateFromTicks TimeFromTicks "
    "TimestampFromTicks PARSE_COLNAMES PARSE_DECLTYPES SQLITE_OK SQLITE_DENY SQLITE_IGNORE apilevel paramstyle threadsafety "
    "sqlite_version sqlite_version_info register_adapter register_converter complete_statement"
)
_traced = "format_exc print_exc format_exception format_exception_only print_exception format_tb print_tb"
_urls = (
    "urlparse urlunparse urljoin urldefrag urlsplit urlunsplit urlencode parse_qs parse_qsl quote quote_plus quote_from_bytes "
    "unquote unquote_plus unquote_to_bytes ParseResult SplitResult DefragResult"
)


def _present(names, module):
    return " ".join(name for name in names.split() if hasattr(module, name))


def _varied(name, **more):
    """The facade of the other style, with more members."""
    return Library(name, {**{key: vars(library.LIBRARIES[name])[key] for key in library.public_names(library.LIBRARIES[name])}, **more})


_datetime_facade = facade("datetime", {"parse": library.datetime.parse}, only="date datetime time timedelta timezone tzinfo UTC MINYEAR MAXYEAR")
_json = importlib.import_module("json")
_parse = facade("urllib.parse", only=_urls)
_own = {
    "sys": _SYS,
    "os": Library("os", data_files.OS),
    "pathlib": facade("pathlib", only="Path PurePath PosixPath PurePosixPath PureWindowsPath"),
    "shutil": Library("shutil", data_files.SHUTIL),
    "datetime": _datetime_facade,
    "json": _varied("json", load=_json.load, dump=_json.dump),
    "io": _varied("io", open=data_files.open),
    "asyncio": facade("asyncio", event_loop.INSTEAD, only=_present(_asyncio, asyncio)),
    "sqlite3": facade("sqlite3", {"connect": data_files.connect}, only=_present(_sqlite, _sqlite3)),
    "secrets": _secrets(),
    "traceback": facade("traceback", only=_traced),
    "urllib": Library("urllib", {"parse": _parse}),
    "gzip": facade("gzip", {"open": data_files.gzip_open, "GzipFile": data_files.gzip_file}, only="compress decompress BadGzipFile"),
    "zoneinfo": facade("zoneinfo", only="ZoneInfo ZoneInfoNotFoundError InvalidTZPathWarning available_timezones"),
    "struct": facade("struct"),
    "time": facade("time", left_out="clock_settime clock_settime_ns tzset pthread_getcpuclockid"),
}

MODULES = {
    **library.MODULES,
    **small_libraries.MODULES,
    **{name: _own.get(name) or facade(name) for name in library.NOTEBOOK_NAMES if name not in small_libraries.MODULES},
    **{name: _own[name] for name in ("datetime", "json", "io", "urllib")},
    "os.path": data_files.PATH,
    "urllib.parse": _parse,
}


# Modules that the host's wheels have brought, by the names at their top; each is Python's own module.
WHEELS = {}


def public_names(found):
    if isinstance(found, types.ModuleType) and hasattr(found, "__all__"):
        return list(found.__all__)
    return [name for name in vars(found) if not name.startswith("_")]


class _Allowed(dict):
    """With what the host's wheels have, down to their last part: that is imported when it is asked for."""

    def get(self, name, default=None):
        found = super().get(name)
        top = name.split(".")[0]
        if found is not None or top not in WHEELS or super().get(top) is not WHEELS[top]:
            return default if found is None else found
        try:
            return importlib.import_module(name)
        except Exception:
            # The program's own import says what was wrong.
            return default


def allowed(names):
    """The modules that a program may import, by name: those of `names`, and their parts."""
    # With each the packages that it is a part of, and its own parts.
    packages = {".".join(name.split(".")[:depth]) for name in names for depth in range(1, name.count(".") + 2)}
    found = {name: module for name, module in MODULES.items() if name in packages or name.split(".")[0] in names}
    return _Allowed({**{name: module for name, module in WHEELS.items() if name in names}, **found})


def _from_wheel(name, member, root):
    """What Python's own import binds."""
    module = importlib.import_module(name)
    if root:
        return sys.modules[name.split(".")[0]]
    if member is None:
        return module
    try:
        return getattr(module, member)
    except AttributeError:
        pass
    try:
        return importlib.import_module(f"{name}.{member}")
    except ModuleNotFoundError as error:
        if error.name != f"{name}.{member}" and hasattr(module, "__path__"):
            raise
        near = library.near_miss(member, public_names(module))
        raise ImportError(f"cannot import name '{member}' from '{name}'{near}", name=name, name_from=member) from None


def importer(libraries):
    """What the rewritten imports of a program call. Raises ImportError, as Python's own import does."""

    def import_module(name, member, root):
        top = name.split(".")[0]
        if top in WHEELS and libraries.get(top) is WHEELS[top]:
            return _from_wheel(name, member, root)
        module = libraries.get(name)
        if module is None:
            parent = name.rpartition(".")[0]
            is_package = any(one.startswith(f"{parent}.") for one in libraries)
            ending = f"; '{parent}' is not a package" if parent in libraries and not is_package else ""
            raise ModuleNotFoundError(f"No module named '{name if parent in libraries else name.split('.')[0]}'{ending}", name=name)
        if root:
            return libraries.get(name.split(".")[0], module)
        if member is None:
            return module
        if member not in public_names(module):
            near = library.near_miss(member, public_names(module))
            raise ImportError(f"cannot import name '{member}' from '{name}'{near}", name=name, name_from=member)
        return getattr(module, member)

    return import_module
