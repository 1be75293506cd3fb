"""The builtins of a guarded program: an allow list, with checked versions of those that take attribute names."""

import _string
import annotationlib
import builtins
import dataclasses
import enum
import string.templatelib  # noqa: F401 - its types must be there before they are counted below
import types
import typing  # noqa: F401

from . import guard, library

_plain = (
    "abs aiter all anext any ascii bin bool bytearray bytes callable chr classmethod complex dict divmod enumerate filter "
    "float format frozenset hash hex id int isinstance issubclass iter len list map max memoryview min next object oct "
    "ord pow print property range repr reversed round set slice sorted staticmethod str sum super tuple zip "
    "Ellipsis NotImplemented None True False __build_class__"
)
_exceptions = [
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException) and name != "SystemExit"
]
# Modules that C code of the engine imports through the builtins of whoever called it: strptime, templates of compiled
# expressions, large integers, type parameters, warnings. What it imports never gets to the program.
_internal_imports = frozenset(
    "_strptime time datetime _datetime _pydatetime re _pylong typing annotationlib warnings unicodedata struct _struct json "
    "json.decoder encodings copyreg collections collections.abc functools enum numbers codecs locale io operator __future__".split()
)

_import = builtins.__import__
_builtin_method = type("".format)
_format = str.format
_format_map = str.format_map


def _limited_import(name, globals=None, locals=None, fromlist=(), level=0):
    if name not in _internal_imports:
        raise guard.ForbiddenName("imports are not allowed")
    return _import(name, None, None, fromlist, level)


def _check_format(text):
    """Format strings walk attributes: `{0.__globals__}`. Raises ForbiddenName for those that must not be walked."""
    for _, field, spec, _ in _string.formatter_parser(text):
        if field:
            for is_attribute, name in _string.formatter_field_name_split(field)[1]:
                if is_attribute:
                    guard.check_attribute(name)
                    if name in guard.REFLECTION:
                        raise guard.ForbiddenName(f"the attribute {name} is not read in a format string here")
        if spec and "{" in spec:
            _check_format(spec)


def _guarded(bound, text):
    def format(*args, **kwargs):
        _check_format(text)
        return bound(*args, **kwargs)

    return format


def _guarded_unbound(method):
    def format(text, *args, **kwargs):
        if isinstance(text, str):
            _check_format(str.__str__(text))
        return method(text, *args, **kwargs)

    return format


def shown(kind):
    """What a program gets to see of a type."""
    return _shown.get(kind, kind) if isinstance(kind, type) else kind


# How attributes are read that only programs of the style "notebook" may read, by name.
special = {}


def attribute(value, name):
    """`value.name` for the names that need a look at what comes out."""
    if name in special:
        return special[name](value)
    return _looked_at(getattr(value, name), name)


def _looked_at(found, name):
    if name == "__class__":
        return shown(found)
    if name in guard.HOOKS:
        return _checked_hook(found, name)
    if name in ("__cause__", "__context__"):
        # One of the engine's own, which was handled there, may hold a module.
        if isinstance(found, AttributeError) and isinstance(found.obj, types.ModuleType):
            found.obj = None
        return found
    if type(found) is _builtin_method and isinstance(found.__self__, str):
        return _guarded(found, str.__str__(found.__self__))
    # Not `==`: what is found may be the program's own, and would be handed the real one.
    if found is _format or found is _format_map:
        return _guarded_unbound(found)
    return found


def _checked_hook(method, hook):
    """`object.__setattr__(value, name, new)`, `super().__getattribute__(name)` and so on, with a name that is checked."""
    count = 2 if hook == "__setattr__" else 1

    def call(*args):
        if len(args) < count:
            return method(*args)
        name = args[-count]
        guard.check_attribute(name)
        if name in guard.REFLECTION:
            raise guard.ForbiddenName(f"the attribute {name} is not available through {hook} here")
        target = args[0] if len(args) > count else getattr(method, "__self__", None)
        if hook in ("__setattr__", "__delattr__") and isinstance(target, (library.Library, dataclasses.Field)):
            raise guard.ForbiddenName(f"a {type(target).__name__} is read-only")
        found = method(*args)
        return _looked_at(found, name) if name in guard.CHECKED else found

    call.__name__ = call.__qualname__ = hook
    return call


def _getattr(value, name, *default):
    guard.check_attribute(name)
    try:
        return attribute(value, name) if name in guard.CHECKED else getattr(value, name)
    except AttributeError:
        if default:
            return default[0]
        raise


def _hasattr(value, name):
    guard.check_attribute(name)
    return hasattr(value, name)


def _setattr(value, name, new):
    guard.check_attribute(name)
    setattr(value, name, new)


def _delattr(value, name):
    guard.check_attribute(name)
    delattr(value, name)


class _StandIn(type):
    """Stands for a type of the engine: has its name, knows its objects, makes nothing."""

    def __new__(meta, name, bases, members):
        if any(isinstance(base, meta) for base in bases):
            raise guard.ForbiddenName(f"{bases[0].__name__} cannot be inherited from here")
        return type.__new__(meta, name, bases, members)

    def __call__(cls, *args, **kwargs):
        if cls is not Type:
            raise guard.ForbiddenName(f"{cls.__name__} makes nothing here")
        if len(args) != 1 or kwargs:
            raise guard.ForbiddenName("type() takes one value here: write a class statement to make a class")
        return shown(type(args[0]))

    def __instancecheck__(cls, instance):
        return isinstance(instance, _real[cls])

    def __subclasscheck__(cls, other):
        return issubclass(_real.get(other, other), _real[cls])

    def __repr__(cls):
        return repr(_real[cls])

    def __getitem__(cls, item):
        return types.GenericAlias(cls, item)


# What a program gets to see of a type, and the type behind it.
_shown = {}
_real = {}


def _stand_in(kind):
    members = {"__doc__": kind.__doc__, "__slots__": (), "__module__": kind.__module__}
    shown = _StandIn(kind.__name__, (), members)
    shown.__qualname__ = kind.__qualname__
    _shown[kind] = shown
    _real[shown] = kind
    return shown


def every_type():
    """All classes that there are."""
    found = {object}
    todo = [object]
    while todo:
        for kind in type.__subclasses__(todo.pop()):
            if kind not in found:
                found.add(kind)
                todo.append(kind)
    return found


Type = _stand_in(type)


def disarm():
    """Takes out what makes code of text, or reads modules, by names that no guard would look for."""
    annotationlib.ForwardRef.evaluate = _refuse
    if hasattr(enum.EnumType, "_convert_"):
        del enum.EnumType._convert_


def _refuse(*args, **kwargs):
    raise guard.ForbiddenName("text does not become code here")


def _named(function, name):
    function.__name__ = function.__qualname__ = name
    return function


TABLE = {name: getattr(builtins, name) for name in (*_plain.split(), *_exceptions)}
TABLE |= {
    "type": Type,
    "getattr": _named(_getattr, "getattr"),
    "hasattr": _named(_hasattr, "hasattr"),
    "setattr": _named(_setattr, "setattr"),
    "delattr": _named(_delattr, "delattr"),
    "__import__": _limited_import,
    "__toolglot_attribute__": attribute,
    "__toolglot_import__": library.import_module,
    "__debug__": True,
}

# Every type of the engine that a program has no name for is shown by a stand-in: functions, generators, metaclasses,
# modules and their like could be made anew through `type(x)(…)`. Classes that come later are the program's own.
_known = {value for value in TABLE.values() if isinstance(value, type)}


def hide_types(libraries, *more):
    """Puts stand-ins in the place of all types that neither a library nor `more` names."""
    _known.update(value for one in libraries for value in vars(one).values() if isinstance(value, type))
    _known.update(more)
    for kind in every_type():
        is_known = kind in _known or issubclass(kind, (BaseException, *library.OTHER_TYPES))
        if isinstance(kind, _StandIn) or kind is type or kind in _shown:
            if is_known and kind in _shown and not issubclass(kind, type):
                del _shown[kind]
        elif issubclass(kind, type) or not is_known:
            _stand_in(kind)
    _shown[_StandIn] = Type


hide_types(
    library.MODULES.values(), library.datetime, type(None), type(...), type(NotImplemented), type(""), *library.OTHER_TYPES
)


def salted_hash(salt):
    """`hash` with a salt of the run: children of one snapshot share the interpreter's hash seed."""
    plain = builtins.hash

    def hash(value, /):
        found = plain(value)
        if isinstance(value, (int, float, complex)):
            return found
        mixed = (found ^ salt) & 0x7FFFFFFF
        return mixed if found >= 0 else -mixed - 2

    return hash
