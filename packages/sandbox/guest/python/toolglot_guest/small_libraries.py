"""Libraries of programs in the style "notebook" that reach nothing, once some members are left out or have another in their place."""

import argparse as _argparse
import configparser as _configparser
import contextlib
import glob as _glob
import inspect as _inspect
import logging as _logging
import os
import sys
import time
import types
import xml.etree.ElementTree as _tree
import zipfile as _zipfile

from . import data_files, event_loop, guard, library
from .library import Library, facade


def _own(name, *members, **more):
    for member in members:
        member.__module__ = name
        member.__qualname__ = member.__name__
    return Library(name, {**{member.__name__: member for member in members}, **more})


# --- warnings and logging ---------------------------------------------------------------------------------------------

_filters = []
_recorded = []
_actions = ("default", "error", "ignore", "always", "all", "module", "once")


def warn(message, category=None, stacklevel=1, source=None, *, skip_file_prefixes=()):
    """warnings.warn"""
    category = type(message) if isinstance(message, Warning) else category or UserWarning
    if not (isinstance(category, type) and issubclass(category, Warning)):
        raise TypeError(f"category must be a Warning subclass, not '{category}'")
    action = next((action for action, kind, text in _filters if issubclass(category, kind) and str(message).startswith(text)), "default")
    if action == "ignore":
        return
    error = message if isinstance(message, Warning) else category(message)
    if action == "error":
        raise error
    if _recorded:
        _recorded[-1].append(types.SimpleNamespace(message=error, category=category, filename="program.py", lineno=_line(), line=None))
    else:
        print(f"program.py:{_line()}: {category.__name__}: {message}", file=sys.stderr)


def _line():
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != guard.PROGRAM:
        frame = frame.f_back
    return frame.f_lineno if frame else 0


def simplefilter(action, category=Warning, lineno=0, append=False):
    """warnings.simplefilter"""
    filterwarnings(action, "", category, append=append)


def filterwarnings(action, message="", category=Warning, module="", lineno=0, append=False):
    """warnings.filterwarnings; the message is compared as it stands, from its start."""
    if action not in _actions:
        raise ValueError(f"invalid action: {action!r}")
    _filters.insert(len(_filters) if append else 0, (action, category, message))


def resetwarnings():
    """warnings.resetwarnings"""
    _filters.clear()


@contextlib.contextmanager
def catch_warnings(*, record=False, module=None, action=None, category=Warning, lineno=0, append=False):
    """warnings.catch_warnings"""
    before = list(_filters)
    if action is not None:
        simplefilter(action, category, append=append)
    found = []
    if record:
        _recorded.append(found)
    try:
        yield found if record else None
    finally:
        _filters[:] = before
        if record:
            _recorded.remove(found)


class Formatter(_logging.Formatter):
    """logging.Formatter, with formats of the kind %(message)s."""

    def __init__(self, fmt=None, datefmt=None, style="%", validate=True, *, defaults=None):
        if style != "%":
            raise ValueError("only the style '%' is available here")
        super().__init__(fmt, datefmt, "%", validate, defaults=defaults)


def basicConfig(*, level=None, format=None, datefmt=None, stream=None, handlers=None, force=False, style="%", filename=None, **more):
    """logging.basicConfig, for streams."""
    if filename is not None or more.keys() - {"filemode", "encoding", "errors"}:
        raise ValueError("logging.basicConfig takes level, format, datefmt, stream, handlers and force here")
    root = _logging.getLogger()
    if force:
        for handler in list(root.handlers):
            root.removeHandler(handler)
    if not root.handlers:
        for handler in handlers or [_logging.StreamHandler(stream)]:
            if handler.formatter is None:
                handler.setFormatter(Formatter(format or _logging.BASIC_FORMAT, datefmt, style))
            root.addHandler(handler)
    if level is not None:
        root.setLevel(level)


basicConfig.__module__ = Formatter.__module__ = "logging"
_logged = (
    "getLogger debug info warning error critical exception log disable NullHandler StreamHandler Handler Filter LoggerAdapter "
    "getLevelName addLevelName DEBUG INFO WARNING WARN ERROR CRITICAL FATAL NOTSET"
)

# --- files ------------------------------------------------------------------------------------------------------------


def glob(pathname, *, root_dir=None, dir_fd=None, recursive=False, include_hidden=False):
    """glob.glob, in /mnt/data."""
    return list(iglob(pathname, root_dir=root_dir, recursive=recursive, include_hidden=include_hidden))


def iglob(pathname, *, root_dir=None, dir_fd=None, recursive=False, include_hidden=False):
    """glob.iglob, in /mnt/data."""
    pathname = data_files.checked_pattern(pathname)
    root = data_files.checked("." if root_dir is None else root_dir)
    return iter(_glob.glob(pathname, root_dir=root, recursive=recursive, include_hidden=include_hidden))


def _unused(prefix, suffix, folder):
    folder = data_files.checked(data_files.ROOT if folder is None else folder)
    return f"{folder}/{prefix or 'tmp'}{library.random_bytes(4).hex()}{suffix or ''}"


def gettempdir():
    """tempfile.gettempdir"""
    return data_files.ROOT


def mkdtemp(suffix=None, prefix=None, dir=None):
    """tempfile.mkdtemp, in /mnt/data."""
    path = _unused(prefix, suffix, dir)
    os.mkdir(path)
    return path


@contextlib.contextmanager
def TemporaryDirectory(suffix=None, prefix=None, dir=None, ignore_cleanup_errors=False, *, delete=True):
    """tempfile.TemporaryDirectory, in /mnt/data, for a with statement."""
    path = mkdtemp(suffix, prefix, dir)
    try:
        yield path
    finally:
        if delete:
            data_files.SHUTIL["rmtree"](path, ignore_errors=True)


class _Temporary:
    """A file that goes when it is closed."""

    def __init__(self, path, file, delete):
        self.name = path
        self.file = file
        self.delete = delete

    def __getattr__(self, name):
        if name not in _file_methods:
            raise AttributeError(f"a temporary file has no attribute '{name}'", name=name, obj=self)
        return getattr(self.file, name)

    def __iter__(self):
        return iter(self.file)

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.close()

    def close(self):
        if self.file.closed:
            return
        self.file.close()
        if self.delete and os.path.exists(self.name):
            os.remove(self.name)


_file_methods = frozenset("read readline readlines write writelines seek tell truncate flush closed mode encoding readable writable seekable".split())


def NamedTemporaryFile(mode="w+b", buffering=-1, encoding=None, newline=None, suffix=None, prefix=None, dir=None, delete=True, *, errors=None, delete_on_close=True):
    """tempfile.NamedTemporaryFile, in /mnt/data."""
    path = _unused(prefix, suffix, dir)
    return _Temporary(path, data_files.open(path, mode, buffering, encoding, errors, newline), delete)


class ZipFile(_zipfile.ZipFile):
    """zipfile.ZipFile, for files under /mnt/data."""

    def __init__(self, file, mode="r", *args, **kwargs):
        super().__init__(data_files.checked(file) if isinstance(file, (str, os.PathLike)) else file, mode, *args, **kwargs)

    def write(self, filename, *args, **kwargs):
        super().write(data_files.checked(filename), *args, **kwargs)

    def _extract_member(self, member, targetpath, pwd):
        return super()._extract_member(member, data_files.checked(targetpath), pwd)


ZipFile.__module__ = "zipfile"


class ElementTree(_tree.ElementTree):
    """xml.etree.ElementTree.ElementTree, for files under /mnt/data."""

    def __init__(self, element=None, file=None):
        super().__init__(element)
        if file is not None:
            self.parse(file)

    def parse(self, source, parser=None):
        with data_files.given(source, "rb") as file:
            return super().parse(file, parser)

    def write(self, file_or_filename, *args, **kwargs):
        with data_files.given(file_or_filename, "wb") as file:
            super().write(file, *args, **kwargs)


ElementTree.__module__ = "xml.etree.ElementTree"


def parse(source, parser=None):
    """xml.etree.ElementTree.parse, for files under /mnt/data."""
    tree = ElementTree()
    tree.parse(source, parser)
    return tree


parse.__module__ = "xml.etree.ElementTree"
_elements = "Element SubElement Comment ProcessingInstruction PI QName ParseError XML fromstring fromstringlist tostring tostringlist indent iselement dump register_namespace"

# --- timeit -----------------------------------------------------------------------------------------------------------


def timeit(stmt="pass", setup="pass", timer=time.perf_counter, number=1_000_000, globals=None):
    """timeit.timeit, of a function."""
    if not callable(stmt) or not (callable(setup) or setup == "pass"):
        raise TypeError("timeit takes functions here: timeit(lambda: f(1), number=100)")
    if callable(setup):
        setup()
    began = timer()
    for _ in range(number):
        stmt()
    return timer() - began


def repeat(stmt="pass", setup="pass", timer=time.perf_counter, repeat=5, number=1_000_000, globals=None):
    """timeit.repeat, of a function."""
    return [timeit(stmt, setup, timer, number) for _ in range(repeat)]


# --- concurrent.futures -----------------------------------------------------------------------------------------------


class Future:
    """concurrent.futures.Future, of something that was done when it was asked for."""

    def __init__(self):
        self._value = self._error = None
        # As of the futures of asyncio: an exception that nobody has asked for yet.
        self._log_traceback = False

    def _run(self, function, args, kwargs):
        try:
            self._value = function(*args, **kwargs)
        except Exception as error:
            self._error = error
            self._log_traceback = True
            event_loop.watch(self)

    def result(self, timeout=None):
        self._log_traceback = False
        if self._error is not None:
            raise self._error
        return self._value

    def exception(self, timeout=None):
        self._log_traceback = False
        return self._error

    def add_done_callback(self, fn):
        fn(self)

    def done(self):
        return True

    def cancelled(self):
        return False

    cancel = running = cancelled


class Executor:
    """Threads are not there: what is submitted is done at once, one after another."""

    def __init__(self, max_workers=None, *args, **kwargs):
        pass

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        future._run(fn, args, kwargs)
        return future

    def map(self, fn, *iterables, timeout=None, chunksize=1, buffersize=None):
        futures = [self.submit(fn, *args) for args in zip(*iterables)]
        return (future.result() for future in futures)

    def shutdown(self, wait=True, *, cancel_futures=False):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        pass


class ThreadPoolExecutor(Executor):
    """concurrent.futures.ThreadPoolExecutor; see Executor."""


class ProcessPoolExecutor(Executor):
    """concurrent.futures.ProcessPoolExecutor; see Executor."""


def as_completed(fs, timeout=None):
    """concurrent.futures.as_completed"""
    return iter(list(fs))


def wait(fs, timeout=None, return_when="ALL_COMPLETED"):
    """concurrent.futures.wait"""
    return _Waited(set(fs), set())


class _Waited(tuple):
    def __new__(cls, done, not_done):
        return super().__new__(cls, (done, not_done))

    done = property(lambda self: self[0])
    not_done = property(lambda self: self[1])


# --- what the guard cannot see, as it happens inside of the library ---------------------------------------------------

_add_action = _argparse._ActionsContainer._add_action
_parse_known = _argparse.ArgumentParser.parse_known_args
_from_callable = _inspect.Signature.from_callable.__func__


def _checked_action(self, action):
    """The names of arguments become attributes."""
    guard.check_attribute(action.dest)
    return _add_action(self, action)


def _parse_known_args(self, args=None, namespace=None, **more):
    if namespace is not None and type(namespace) is not _argparse.Namespace:
        raise TypeError("the arguments are put into an argparse.Namespace here")
    return _parse_known(self, [] if args is None else args, namespace, **more)


def _no_files(self, arg_strings):
    raise ValueError("arguments are read from no file here")


def _read_config(self, filenames, encoding=None):
    """ConfigParser.read, for files under /mnt/data."""
    found = []
    for name in [filenames] if isinstance(filenames, (str, bytes, os.PathLike)) else filenames:
        try:
            with data_files.open(name, encoding=encoding) as file:
                self.read_file(file, str(name))
        except FileNotFoundError:
            continue
        found.append(name)
    return found


def signature(obj, *, follow_wrapped=True):
    """inspect.signature; annotations stay as they are written."""
    return _from_callable(_inspect.Signature, obj, follow_wrapped=follow_wrapped)


signature.__module__ = "inspect"


def confine():
    """Called before the first program with a guard."""
    _argparse._ActionsContainer._add_action = _checked_action
    _argparse.ArgumentParser.parse_known_args = _parse_known_args
    _argparse.ArgumentParser._read_args_from_files = _no_files
    _configparser.RawConfigParser.read = _read_config
    # Its other arguments make code of text.
    _inspect.Signature.from_callable = classmethod(lambda cls, obj, *, follow_wrapped=True: _from_callable(cls, obj, follow_wrapped=follow_wrapped))


_arguments = (
    "ArgumentParser Namespace Action ArgumentError ArgumentTypeError HelpFormatter RawTextHelpFormatter RawDescriptionHelpFormatter "
    "ArgumentDefaultsHelpFormatter BooleanOptionalAction SUPPRESS OPTIONAL ZERO_OR_MORE ONE_OR_MORE REMAINDER"
)
_configs = (
    "ConfigParser RawConfigParser BasicInterpolation ExtendedInterpolation Error NoSectionError NoOptionError DuplicateSectionError "
    "DuplicateOptionError ParsingError MissingSectionHeaderError InterpolationError InterpolationSyntaxError InterpolationMissingOptionError"
)
_etree = facade("xml.etree.ElementTree", {"ElementTree": ElementTree, "parse": parse}, only=_elements)
_html_parser = facade("html.parser", only="HTMLParser")
_futures = _own("concurrent.futures", Future, Executor, ThreadPoolExecutor, ProcessPoolExecutor, as_completed, wait, FIRST_COMPLETED="FIRST_COMPLETED", FIRST_EXCEPTION="FIRST_EXCEPTION", ALL_COMPLETED="ALL_COMPLETED", TimeoutError=TimeoutError)
_xml_etree = Library("xml.etree", {"ElementTree": _etree})

MODULES = {
    "types": facade("types", only="SimpleNamespace MappingProxyType NoneType"),
    "logging": facade("logging", {"basicConfig": basicConfig, "Formatter": Formatter}, only=_logged),
    "warnings": _own("warnings", warn, simplefilter, filterwarnings, resetwarnings, catch_warnings),
    "weakref": facade("weakref", only="ref proxy WeakKeyDictionary WeakValueDictionary WeakSet WeakMethod ReferenceType"),
    "hmac": facade("hmac", only="new digest compare_digest"),
    "glob": _own("glob", glob, iglob, escape=_glob.escape, has_magic=_glob.has_magic),
    "fnmatch": facade("fnmatch"),
    "tempfile": _own("tempfile", gettempdir, mkdtemp, TemporaryDirectory, NamedTemporaryFile, TemporaryFile=NamedTemporaryFile),
    "html": facade("html", {"parser": _html_parser}, only="escape unescape"),
    "html.parser": _html_parser,
    "xml": Library("xml", {"etree": _xml_etree}),
    "xml.etree": _xml_etree,
    "xml.etree.ElementTree": _etree,
    "binascii": facade("binascii"),
    "ipaddress": facade("ipaddress"),
    "graphlib": facade("graphlib"),
    "cmath": facade("cmath"),
    "timeit": _own("timeit", timeit, repeat, default_timer=library.wrapped(time.perf_counter)),
    "argparse": facade("argparse", only=_arguments),
    "configparser": facade("configparser", only=_configs),
    "tomllib": facade("tomllib", only="load loads TOMLDecodeError"),
    "zipfile": facade("zipfile", {"ZipFile": ZipFile}, only="ZipInfo BadZipFile LargeZipFile is_zipfile ZIP_STORED ZIP_DEFLATED"),
    "ast": facade("ast", only="literal_eval"),
    "inspect": facade("inspect", {"signature": signature}, only="Parameter Signature BoundArguments isfunction isclass ismethod isgenerator isgeneratorfunction iscoroutine iscoroutinefunction isawaitable isabstract getdoc cleandoc"),
    "concurrent": Library("concurrent", {"futures": _futures}),
    "concurrent.futures": _futures,
}
