"""The builtins of a guarded program: an allow list, with checked versions of those that take attribute names."""

import _string
import builtins
import types

from . import guard

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
# Modules that C code of the engine imports through the builtins of whoever called it, strptime for one.
_internal_imports = frozenset({"_strptime", "time", "datetime", "_datetime", "_pydatetime"})

_import = builtins.__import__
_builtin_method = type("".format)


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


def attribute(value, name):
    """`value.name` for the names that need a look at what comes out."""
    found = getattr(value, name)
    if name == "__class__":
        return Type if found is type else found
    if type(found) is _builtin_method and isinstance(found.__self__, str):
        return _guarded(found, str.__str__(found.__self__))
    if found == str.format or found == str.format_map:
        return _guarded_unbound(found)
    return found


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


class _TypeType(type):
    """`type` that answers with one argument only: with three it makes classes the guard has not read."""

    def __call__(cls, *args, **kwargs):
        if len(args) != 1 or kwargs:
            raise guard.ForbiddenName("type() takes one value here: write a class statement to make a class")
        found = type(args[0])
        return cls if found is type or found is _TypeType else found

    def __instancecheck__(cls, instance):
        return isinstance(instance, type)

    def __subclasscheck__(cls, other):
        return issubclass(other, type)

    def __eq__(cls, other):
        return other is type or other is cls

    def __hash__(cls):
        return hash(type)

    def __repr__(cls):
        return "<class 'type'>"

    def __getitem__(cls, item):
        return types.GenericAlias(type, item)


class Type(metaclass=_TypeType):
    """type(object) -> the object's type"""


Type.__name__ = Type.__qualname__ = "type"
Type.__module__ = "builtins"


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
    "__debug__": True,
}


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
