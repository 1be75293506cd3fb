"""Members of the libraries that take names as text, or that reach further than a program may: versions that are checked."""

import abc
import collections
import contextlib
import dataclasses
import enum
import functools
import string
import sys
import typing

import _string

from . import guard, library, safe_builtins
from .safe_builtins import attribute


def _named(module, *functions):
    for function in functions:
        function.__module__ = module
        function.__qualname__ = function.__name__
    library.put(module, **{function.__name__: function for function in functions})


def _look_up(value, name):
    guard.check_attribute(name)
    return attribute(value, name) if name in guard.CHECKED else getattr(value, name)


# --- operator ---------------------------------------------------------------------------------------------------------


def attrgetter(*names):
    """operator.attrgetter; names are checked like those that a program writes."""
    if not names or any(type(name) is not str for name in names):
        raise TypeError("attribute name must be a string")
    paths = [name.split(".") for name in names]

    def get(value):
        found = tuple(functools.reduce(_look_up, path, value) for path in paths)
        return found if len(found) > 1 else found[0]

    return get


def methodcaller(name, /, *args, **kwargs):
    """operator.methodcaller; the name is checked like one that a program writes."""
    guard.check_attribute(name)
    return lambda value: _look_up(value, name)(*args, **kwargs)


_named("operator", attrgetter, methodcaller)

# --- functools --------------------------------------------------------------------------------------------------------


def update_wrapper(wrapper, wrapped, assigned=functools.WRAPPER_ASSIGNMENTS, updated=functools.WRAPPER_UPDATES):
    """functools.update_wrapper, for the attributes that it takes by itself."""
    if not (set(assigned) <= set(functools.WRAPPER_ASSIGNMENTS) and set(updated) <= set(functools.WRAPPER_UPDATES)):
        raise guard.ForbiddenName("update_wrapper() takes no attributes of your own here")
    return functools.update_wrapper(wrapper, wrapped, tuple(assigned), tuple(updated))


def wraps(wrapped, assigned=functools.WRAPPER_ASSIGNMENTS, updated=functools.WRAPPER_UPDATES):
    """functools.wraps, for the attributes that it takes by itself."""
    return lambda wrapper: update_wrapper(wrapper, wrapped, assigned, updated)


_named("functools", update_wrapper, wraps)

# --- classes ----------------------------------------------------------------------------------------------------------

# What a class statement puts into a class besides what is written in it.
_class_keys = frozenset(
    "__module__ __qualname__ __firstlineno__ __static_attributes__ __classcell__ __classdictcell__ __annotate__ "
    "__annotate_func__ __conditional_annotations__ __type_params__ __orig_bases__".split()
)


def _check_members(names):
    for name in names:
        if type(name) is not str:
            raise TypeError("names must be plain strings")
        if guard.is_dunder(name) and name not in guard.NAMES and name not in _class_keys:
            raise guard.ForbiddenName(f"the name {name} is not available here")


def ABCMeta(name, bases, members, /, **keywords):
    """For `class X(metaclass=ABCMeta)`; the metaclass itself would make classes of any text."""
    _check_members(dict.keys(members))
    if "__match_args__" in members and not guard.are_match_args(members["__match_args__"]):
        raise guard.ForbiddenName("__match_args__ takes the names of plain attributes, as text")
    return abc.ABCMeta(name, bases, dict(members), **keywords)


_named("abc", ABCMeta)


def dataclass(cls=None, /, **options):
    """dataclasses.dataclass"""
    if cls is None:
        return lambda cls: dataclass(cls, **options)
    made = dataclasses.dataclass(cls, **options)
    # Patterns would read these from whatever they match, without a check.
    if any(field.name in guard.CHECKED for field in dataclasses.fields(made)):
        made.__match_args__ = ()
    return made


_named("dataclasses", dataclass)

# --- contextlib -------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def redirect_stdout(new_target):
    """contextlib.redirect_stdout"""
    before, sys.stdout = sys.stdout, new_target
    try:
        yield new_target
    finally:
        sys.stdout = before


@contextlib.contextmanager
def redirect_stderr(new_target):
    """contextlib.redirect_stderr"""
    before, sys.stderr = sys.stderr, new_target
    try:
        yield new_target
    finally:
        sys.stderr = before


_named("contextlib", redirect_stdout, redirect_stderr)

# --- typing -----------------------------------------------------------------------------------------------------------


def get_origin(tp):
    """typing.get_origin"""
    found = typing.get_origin(tp)
    return safe_builtins.shown(found)


_named("typing", get_origin)
library.put("typing", Type=safe_builtins.Type)

# --- what the guard cannot see, as it happens inside of the library ---------------------------------------------------


def _get_field(self, field_name, args, kwargs):
    first, rest = _string.formatter_field_name_split(field_name)
    value = self.get_value(first, args, kwargs)
    for is_attribute, name in rest:
        value = _look_up(value, name) if is_attribute else value[name]
    return value, first


def _format_user_string(self, /, *args, **kwargs):
    return attribute(str(self.data), "format")(*args, **kwargs)


def _format_map_user_string(self, mapping):
    return attribute(str(self.data), "format_map")(mapping)


def _set_field(self, name, value):
    """The names of fields become code: they are what a class statement can name, and nothing else."""
    if name == "name" and value is not None and not (type(value) is str and value.isidentifier()):
        raise guard.ForbiddenName("a field's name is set by its class")
    object.__setattr__(self, name, value)


_create_enum = enum.EnumType._create_


def _create(cls, class_name, names, **more):
    """`Enum("Color", names)`"""
    if isinstance(names, str):
        names = str.__str__(names).replace(",", " ").split()
    else:
        names = list(names.items()) if isinstance(names, dict) else list(names)
    _check_members(item if isinstance(item, str) else item[0] for item in names)
    return _create_enum(cls, class_name, names, **more)


def disarm():
    """Called before the first program with a guard."""
    safe_builtins.disarm()
    string.Formatter.get_field = _get_field
    collections.UserString.format = _format_user_string
    collections.UserString.format_map = _format_map_user_string
    dataclasses.Field.__setattr__ = _set_field
    enum.EnumType._create_ = _create
