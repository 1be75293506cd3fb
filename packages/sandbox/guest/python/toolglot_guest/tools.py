"""Tools as the program sees them: plain functions that wait for the host."""

import sys

from . import clean
from .guard import PROGRAM

MAX_ARGUMENT_BYTES = 4 * 1024 * 1024


class ToolError(Exception):
    """A tool failed. The message says why."""


ToolError.__module__ = "builtins"


def guest_line():
    """The program's line that is running now."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == PROGRAM:
            return frame.f_lineno
        frame = frame.f_back
    return None


def called(tool):
    """A tool as programs write it."""
    return tool.get("called", tool["identifier"])


def signature(tool):
    parts = []
    for parameter in tool["params"]:
        if parameter["required"]:
            parts.append(parameter["identifier"])
        else:
            parts.append(f"{parameter['identifier']}={parameter.get('default')!r}")
    if tool.get("open"):
        parts.append("**more")
    return f"{called(tool)}({', '.join(parts)})"


def bind(tool, args, kwargs):
    """The tool's input by parameter name. Raises TypeError in CPython's words."""
    name = called(tool)
    parameters = tool["params"]
    if len(args) > len(parameters):
        count = len(parameters)
        plural = "" if count == 1 else "s"
        were = "was" if len(args) == 1 else "were"
        raise TypeError(f"{name}() takes {count} positional argument{plural} but {len(args)} {were} given")
    given = {parameter["name"]: value for parameter, value in zip(parameters, args)}
    by_identifier = {parameter["identifier"]: parameter["name"] for parameter in parameters}
    for key, value in kwargs.items():
        # The parameter's own name works too, through `**`, where it is no identifier.
        target = by_identifier.get(key) or (key if key in by_identifier.values() or (tool.get("open") and key != "__proto__") else None)
        if target is None:
            raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
        if target in given:
            raise TypeError(f"{name}() got multiple values for argument '{key}'")
        given[target] = value
    missing = [repr(p["identifier"]) for p in parameters if p["required"] and p["name"] not in given]
    if missing:
        plural = "" if len(missing) == 1 else "s"
        raise TypeError(f"{name}() missing {len(missing)} required argument{plural}: {', '.join(missing)}")
    return given


class _Group:
    """Tools whose names begin with the same word and a dot, as its members."""

    __slots__ = ("_name", "_members")

    def __init__(self, name):
        self._name = name
        self._members = {}

    def __getattr__(self, name):
        try:
            return self._members[name]
        except KeyError:
            there = ", ".join(self._members)
            raise AttributeError(f"{self._name} has no {name}: there are {there}", name=name, obj=self) from None

    def __repr__(self):
        return f"<tools {self._name}: {', '.join(self._members)}>"


def groups(given, found):
    """The objects with the tools whose names have a dot. `found`: the functions, by identifier."""
    made = {}
    for tool in given:
        if "member" in tool:
            group, name = tool["member"]
            made.setdefault(group, _Group(group))._members[name] = found[tool["identifier"]]
    return made


# Of this program, by identifier: a function that a session keeps calls the tool that has its name now.
_offered = {}


def offer(tools):
    """Called once a program, with all that it may call."""
    _offered.clear()
    _offered.update((tool["identifier"], (index, tool)) for index, tool in enumerate(tools))


def encode(name, args, kwargs):
    """The tool's place in the list, and the rest of a call's message, with its arguments. Raises ToolError, and TypeError and ValueError for
    those that can't be given."""
    if name not in _offered:
        raise ToolError(f"the tool {name} is not offered any more")
    index, tool = _offered[name]
    given = bind(tool, args, kwargs)
    name = called(tool)
    cleaner = clean.Cleaner(MAX_ARGUMENT_BYTES, strict=True)
    try:
        text = clean.dump({key: cleaner.clean(value, ((), key)) for key, value in given.items()}, MAX_ARGUMENT_BYTES)[0]
        return index, f'"args":{text}' + (f',"conversions":{clean.write(cleaner.notes)}' if cleaner.notes else "")
    except (clean.Unfit, clean.SameKeys) as error:
        raise TypeError(f"{name}() cannot take this argument: {error}") from None
    except clean.TooLarge as error:
        raise ValueError(f"{name}() cannot take arguments of this size: {error} (they were {clean.told(given)})") from None


def value_of(answer):
    """The value of a call, by the host's answer. Raises ToolError."""
    if answer["type"] == "return":
        return answer["value"]
    error = ToolError(answer["message"])
    error.data = answer.get("data") or {}
    error._call = answer["call"]
    raise error


def asking(host):
    """What `make` asks, where one call is in flight at a time. `host` takes and gives JSON text."""
    return lambda index, text: clean.read(host(f'{{"type":"call","tool":{index},"line":{guest_line() or 0},{text}}}'))


def make(tool, ask):
    """The function of one tool. `ask` takes its place in the list and its arguments as JSON text, and gives the answer."""
    name = tool["identifier"]

    def call(*args, **kwargs):
        return value_of(ask(*encode(name, args, kwargs)))

    call.__name__ = call.__qualname__ = name
    call.__module__ = "__main__"
    call.__doc__ = tool.get("description")
    call._toolglot_signature = signature(tool)
    return call
