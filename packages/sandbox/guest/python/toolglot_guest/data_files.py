"""Files of programs in the style "notebook": those under /mnt/data, through `open`, `os` and `pathlib`.

The engine's file system refuses to write anywhere else; this layer gives the errors that a program can read.
"""

import contextlib
import errno
import gzip as _gzip
import io
import ntpath
import os
import pathlib
import posixpath
import shutil
import sqlite3 as _sqlite3
import sys
import types
import weakref

from . import library

ROOT = "/mnt/data"
_roots = [ROOT]


def let_read(folder):
    """Lets programs, and what they import, read what is in a folder besides. It stays as read-only as it is."""
    _roots.append(folder)


def _text(path):
    """A path as plain text, asked for once: a program's own object may say something else the next time."""
    if isinstance(path, int):
        raise PermissionError(errno.EACCES, "a file is opened by its path here, not by a number")
    found = os.fspath(path)
    return str.__str__(found) if isinstance(found, str) else os.fsdecode(bytes(found))


def checked(path):
    """The path as plain text, when it is one that a program may have. Raises PermissionError."""
    text = _text(path)
    full = posixpath.realpath(text)
    if not any(full == root or full.startswith(root + "/") for root in _roots):
        raise PermissionError(errno.EACCES, f"only {ROOT} can be reached here", text)
    return text


# Of the present program of a session, with their paths, the outermost layer of each first: they are closed at its end.
_files = weakref.WeakKeyDictionary()
# Not weakly: these can't be referred to so.
_databases = []
_session = False


def begin(is_session):
    """Called once a program."""
    global _session
    _session = is_session
    _files.clear()
    _databases.clear()


def _noted(path, *layers):
    if _session:
        for one in layers:
            _files[one] = path
    return layers[0]


def close_all():
    """Closes what the program left open, which no later one could use. Returns their paths."""
    left = {}
    for file, path in list(_files.items()):
        try:
            if not file.closed:
                left[path] = True
                file.close()
        except Exception:
            # There is no room for what it had not written yet, or it was taken out of its layers.
            pass
    for path, database in _databases:
        # One name here, one in the list, one of the call.
        if sys.getrefcount(database) > 3 and _is_connected(database):
            left[path] = True
        _sqlite3.Connection.close(database)
    begin(False)
    return list(left)


def _is_connected(database):
    try:
        return _sqlite3.Connection.total_changes.__get__(database) >= 0
    except _sqlite3.ProgrammingError:
        return False


class _File(io.FileIO):
    """One open file. It can't be opened again with another path."""

    def __init__(self, path, mode):
        if getattr(self, "_opened", False):
            raise PermissionError(errno.EACCES, "a file is opened by open() here")
        super().__init__(checked(path), mode)
        self._opened = True


def open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    """The built-in open(), for files under /mnt/data."""
    if not isinstance(mode, str):
        raise TypeError(f"open() argument 'mode' must be str, not {type(mode).__name__}")
    mode = str.__str__(mode)
    kinds = set(mode)
    if kinds - set("rwxabt+") or len(mode) > len(kinds) or ("t" in kinds and "b" in kinds):
        raise ValueError(f"invalid mode: {mode!r}")
    if len(kinds & set("rwxa")) != 1:
        raise ValueError("must have exactly one of create/read/write/append mode")
    if not closefd or opener is not None:
        raise PermissionError(errno.EACCES, "open() takes neither closefd=False nor opener here")
    if "b" in kinds:
        for name, value in (("encoding", encoding), ("errors", errors), ("newline", newline)):
            if value is not None:
                raise ValueError(f"binary mode doesn't take {'an' if name[0] == 'e' else 'a'} {name} argument")
    raw = _File(file, "".join(letter for letter in mode if letter not in "bt"))
    if buffering == 0:
        if "b" in kinds:
            return _noted(raw.name, raw)
        raise ValueError("can't have unbuffered text I/O")
    kind = io.BufferedRandom if "+" in kinds else io.BufferedReader if "r" in kinds else io.BufferedWriter
    held = kind(raw)
    if "b" in kinds:
        return _noted(raw.name, held, raw)
    text = io.TextIOWrapper(held, encoding or "utf-8", errors, newline, line_buffering=buffering == 1)
    text.mode = mode
    return _noted(raw.name, text, held, raw)


open.__module__ = "_io"

# --- os ---------------------------------------------------------------------------------------------------------------


def _checked(function, count=1):
    """The function, for paths that a program may have; without a path it works on the current folder."""

    def call(*args, **kwargs):
        if "dir_fd" in kwargs or "src_dir_fd" in kwargs or "dst_dir_fd" in kwargs:
            raise PermissionError(errno.EACCES, "a file is named by its path here, not by a number")
        for key in ("path", "src", "dst", "name"):
            if key in kwargs:
                kwargs[key] = checked(kwargs[key])
        return function(*map(checked, args[:count]), *args[count:], **kwargs)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    call.__module__ = function.__module__
    return call


def _known(function, absent):
    """What a question about a file comes to when the file is none of the program's."""

    def call(path):
        try:
            return function(checked(path))
        except PermissionError:
            return absent

    call.__name__ = call.__qualname__ = function.__name__
    call.__module__ = function.__module__
    return call


_pure = (
    "basename commonpath commonprefix dirname isabs join normcase normpath split splitdrive splitext splitroot "
    "sep altsep extsep pardir curdir pathsep defpath devnull expanduser expandvars supports_unicode_filenames abspath relpath"
)


def _pure_part(module, name):
    found = getattr(module, name)
    return library.wrapped(found) if isinstance(found, types.BuiltinFunctionType) else found


def _paths(module, more):
    return library.Library(module.__name__, {name: _pure_part(module, name) for name in _pure.split()} | more)


PATH = _paths(
    posixpath,
    {
        **{name: _known(getattr(posixpath, name), False) for name in ("exists", "isfile", "isdir", "islink", "lexists", "ismount")},
        **{name: _checked(getattr(posixpath, name)) for name in ("getsize", "getmtime", "getctime", "getatime")},
        "realpath": posixpath.realpath,
    },
)
_WINDOWS_PATH = _paths(ntpath, {})


class Environment(dict):
    """os.environ: empty, and it can be filled for the program itself."""


ENVIRONMENT = Environment()


def getenv(key, default=None):
    """os.getenv; no variable of the host is there."""
    return ENVIRONMENT.get(key, default)


def listdir(path="."):
    """os.listdir, in /mnt/data."""
    return os.listdir(checked(path))


def walk(top, topdown=True, onerror=None, followlinks=False):
    """os.walk, in /mnt/data."""
    return os.walk(checked(top), topdown, onerror, followlinks)


getenv.__module__ = listdir.__module__ = walk.__module__ = "os"

OS = {
    "path": PATH,
    "environ": ENVIRONMENT,
    "getenv": getenv,
    "getcwd": library.wrapped(os.getcwd),
    "listdir": listdir,
    "walk": walk,
    **{name: _checked(getattr(os, name)) for name in "makedirs mkdir remove unlink rmdir removedirs stat utime chdir".split()},
    **{name: _checked(getattr(os, name), 2) for name in ("rename", "replace")},
    "scandir": _checked(os.scandir),
    "fspath": library.wrapped(os.fspath),
    **{name: getattr(os, name) for name in "sep altsep extsep pathsep linesep curdir pardir devnull name F_OK R_OK W_OK X_OK".split()},
    "PathLike": os.PathLike,
    "error": OSError,
    "cpu_count": lambda: 1,
    "urandom": lambda size, /: library.random_bytes(size),
}
SHUTIL = {
    "rmtree": _checked(shutil.rmtree),
    **{name: _checked(getattr(shutil, name), 2) for name in ("copy", "copyfile", "copytree", "move")},
}

# --- pathlib ----------------------------------------------------------------------------------------------------------

_one_path = (
    "stat lstat exists is_file is_dir is_symlink iterdir glob rglob walk touch mkdir unlink rmdir read_text read_bytes "
    "write_text write_bytes is_mount is_socket is_fifo is_block_device is_char_device is_junction"
)
_two_paths = "rename replace copy copy_into move move_into samefile"
_refused = "symlink_to hardlink_to chmod lchmod owner group readlink"
_absent = frozenset("exists is_file is_dir is_symlink is_mount is_socket is_fifo is_block_device is_char_device is_junction".split())


def _method(name, original):
    def call(self, *args, **kwargs):
        if name in _refused.split():
            raise PermissionError(errno.EACCES, f"Path.{name} is not available here")
        try:
            text = checked(self)
        except PermissionError:
            if name in _absent:
                return False
            raise
        path = self if type(self) is pathlib.PosixPath else pathlib.PosixPath(text)
        if name in _two_paths.split():
            args = [pathlib.PosixPath(checked(one)) for one in args]
            kwargs = {key: pathlib.PosixPath(checked(one)) if isinstance(one, (str, os.PathLike)) else one for key, one in kwargs.items()}
        return open(path, *args, **kwargs) if name == "open" else original(path, *args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = original.__doc__
    call.__module__ = "pathlib"
    return call


def _read(self, encoding=None, errors=None, newline=None):
    with open(self, "r", -1, encoding, errors, newline) as file:
        return file.read()


def _write(self, data, encoding=None, errors=None, newline=None):
    if not isinstance(data, str):
        raise TypeError(f"data must be str, not {type(data).__name__}")
    with open(self, "w", -1, encoding, errors, newline) as file:
        return file.write(data)


def confine():
    """Called before the first program with a guard: paths lead to no module, and to no other file."""
    pathlib.PurePath.parser = pathlib.PurePosixPath.parser = PATH
    pathlib.PureWindowsPath.parser = _WINDOWS_PATH
    names = (*_one_path.split(), *_two_paths.split(), *_refused.split(), "open")
    for name in names:
        original = {"read_text": _read, "write_text": _write}.get(name) or getattr(pathlib.Path, name)
        setattr(pathlib.Path, name, _method(name, original))
    if "info" in vars(pathlib.Path):
        del pathlib.Path.info


# --- libraries that open files by themselves --------------------------------------------------------------------------


def checked_pattern(pattern):
    """A pattern of paths as plain text. Raises PermissionError when it leads elsewhere."""
    text = _text(pattern)
    if ".." in text.split("/"):
        raise PermissionError(errno.EACCES, f"only {ROOT} can be reached here", text)
    if text.startswith("/"):
        checked(text)
    return text


@contextlib.contextmanager
def given(file, mode):
    """The file that was given, or the one of that path, which is closed at the end."""
    if not isinstance(file, (str, bytes, os.PathLike)):
        yield file
        return
    with open(file, mode) as opened:
        yield opened


def gzip_open(filename, mode="rb", compresslevel=9, encoding=None, errors=None, newline=None):
    """gzip.open, for files under /mnt/data."""
    if isinstance(filename, (str, bytes, os.PathLike)):
        path = filename = checked(filename)
        return _noted(path, _gzip.open(filename, mode, compresslevel, encoding, errors, newline))
    return _gzip.open(filename, mode, compresslevel, encoding, errors, newline)


def gzip_file(filename=None, mode=None, compresslevel=9, fileobj=None, mtime=None):
    """gzip.GzipFile, for files under /mnt/data."""
    if fileobj is None:
        filename = checked(filename)
        return _noted(filename, _gzip.GzipFile(filename, mode, compresslevel, fileobj, mtime))
    return _gzip.GzipFile(filename, mode, compresslevel, fileobj, mtime)


def connect(database, *args, uri=False, **kwargs):
    """sqlite3.connect, in memory or for files under /mnt/data."""
    if uri:
        raise PermissionError(errno.EACCES, "a database is named by its path here")
    if database not in (":memory:", "", b":memory:"):
        database = checked(database)
        found = _sqlite3.connect(database, *args, **kwargs)
        if _session:
            _databases.append((database, found))
        return found
    return _sqlite3.connect(database, *args, **kwargs)


gzip_open.__name__ = gzip_open.__qualname__ = "open"
gzip_file.__name__ = gzip_file.__qualname__ = "GzipFile"
gzip_open.__module__ = gzip_file.__module__ = "gzip"
connect.__module__ = "sqlite3"
