"""Built-in functions of programs in the style "notebook" that look at names and values, or make code of text: checked versions."""

import ast
import builtins
import importlib
import sys
import types

from . import awaits, guard, library, notebook_guard, safe_builtins
from .safe_builtins import shown

# What exec() and eval() run.
TEXT = "<string of the program>"
_files = (guard.PROGRAM, TEXT)
# Types that were there before the first program; those that come later are the program's own.
_engine_types = set(map(id, safe_builtins.every_type()))
_functions = (types.FunctionType, types.MethodType)
_dict = type.__dict__["__dict__"].__get__
_mro = type.__dict__["__mro__"].__get__


def know(kinds):
    """These types are no program's own either."""
    _engine_types.update(map(id, kinds))


def is_own_type(kind):
    return isinstance(kind, type) and id(kind) not in _engine_types


def _is_own_function(value):
    if type(value) is types.MethodType:
        value = value.__func__
    return type(value) is types.FunctionType and value.__code__.co_filename in _files


def members(value):
    """`value.__dict__`: of the program's own objects, and of none that hold more."""
    kind = type(value)
    if isinstance(value, type):
        if not is_own_type(value):
            raise guard.ForbiddenName("the attribute __dict__ is not available here on a class that is not the program's own")
        return types.MappingProxyType({name: one for name, one in _dict(value).items() if not guard.forbidden_attribute(name)})
    if is_own_type(kind) or kind is types.SimpleNamespace or isinstance(value, BaseException):
        return object.__getattribute__(value, "__dict__")
    if _is_own_function(value):
        return dict(value.__dict__)
    raise guard.ForbiddenName(f"the attribute __dict__ is not available here on a {kind.__name__}")


def _annotations(value):
    if is_own_type(value) or _is_own_function(value):
        return value.__annotations__
    raise guard.ForbiddenName("the attribute __annotations__ is not available here on what is not the program's own")


safe_builtins.special.update({
    "__dict__": members,
    "__mro__": lambda value: tuple(map(shown, _mro(value))) if isinstance(value, type) else value.__mro__,
    "__annotations__": _annotations,
})


def _hidden(name):
    return type(name) is not str or name.startswith("__toolglot_") or name == "__builtins__"


def _frame():
    """That of the program which called one of the functions below."""
    frame = sys._getframe(2)
    if frame.f_code.co_filename not in _files:
        raise guard.ForbiddenName("this is for the program's own statements")
    return frame


class _Globals(dict):
    """A copy of the program's names; an item that is set or deleted in it is set or deleted in the program."""

    def __setitem__(self, name, value):
        _change(self, name)[name] = value
        super().__setitem__(name, value)

    def __delitem__(self, name):
        super().__delitem__(name)
        del _change(self, name)[name]

    def update(self, *given, **more):
        for name, value in dict(*given, **more).items():
            self[name] = value

    def setdefault(self, name, default=None):
        if name not in self:
            self[name] = default
        return self[name]

    def pop(self, name, *default):
        found = super().pop(name, *default)
        _change(self, name).pop(name, None)
        return found


# The copy of each namespace, and the namespace behind each copy, by identity: as an attribute the program could read it.
_copies = {}
_names = {}


def _copy(names):
    if id(names) not in _copies:
        copy = _Globals()
        _copies[id(names)] = copy
        _names[id(copy)] = names
    copy = _copies[id(names)]
    dict.clear(copy)
    dict.update(copy, {name: value for name, value in names.items() if not _hidden(name)})
    return copy


def _change(copy, name):
    if type(name) is not str or (guard.is_dunder(name) and name != "__result__"):
        raise guard.ForbiddenName("a global name is a plain text")
    return _names[id(copy)]


def globals():
    return _copy(_frame().f_globals)


def locals():
    frame = _frame()
    if frame.f_locals is frame.f_globals:
        return _copy(frame.f_globals)
    return {name: value for name, value in frame.f_locals.items() if not _hidden(name)}


def vars(*value):
    if not value:
        frame = _frame()
        return {name: one for name, one in frame.f_locals.items() if not _hidden(name)}
    if len(value) > 1:
        raise TypeError(f"vars expected at most 1 argument, got {len(value)}")
    try:
        return members(value[0])
    except AttributeError:
        raise TypeError("vars() argument must have __dict__ attribute") from None


def dir(*value):
    if not value:
        return sorted(name for name in _frame().f_locals if not _hidden(name))
    return builtins.dir(*value)




def _compile(text, mode, libraries, available):
    """Reads and checks."""
    if isinstance(text, (bytes, bytearray)):
        text = bytes(text).decode("utf-8")
    if not isinstance(text, str):
        raise TypeError(f"{mode}() takes text here, not {type(text).__name__}")
    text = str.__str__(text)
    tree = ast.parse(text.lstrip(" \t") if mode == "eval" else text, TEXT, mode)
    try:
        notebook_guard.check(tree, {name for name in available if type(name) is str}, libraries)
    except guard.Refused as refused:
        raise (SyntaxError if refused.type == "SyntaxError" else guard.ForbiddenName)(refused.message) from None
    awaits.rewrite(tree)
    return compile(tree, TEXT, mode)


# What C code of the engine imports through the built-ins of the names that it runs in, and takes from there. A program can reach
# the built-ins of a dict that it gave to exec(), so that no module is among them.
_for_the_engine = {
    "_strptime": "_strptime_datetime_date _strptime_datetime_datetime _strptime_datetime_time _strptime_time",
    "re": "_compile_template",
    "_pylong": "int_to_decimal_string int_from_string int_divmod",
    "typing": "_typevar_subst _paramspec_subst _type_check _make_union",
}


def _parts(name, names):
    module = importlib.import_module(name)
    return library.Library(name, {one: getattr(module, one) for one in names.split() if hasattr(module, one)})


_engine_parts = {name: _parts(name, names) for name, names in _for_the_engine.items()}


def _import_part(name, globals=None, locals=None, fromlist=(), level=0):
    if name not in _engine_parts:
        raise guard.ForbiddenName("imports are statements here")
    return _engine_parts[name]


def executing(table, libraries, main):
    """eval() and exec() of a program in the names `main`, whose built-ins are `table`. The text is read by the guard before it runs."""
    run_code = builtins.eval
    internal = {name: value for name, value in table.items() if name.startswith("__toolglot_")}
    internal |= {"__build_class__": table["__build_class__"], "__import__": _import_part, "__name__": "builtins"}

    def prepare(names):
        """Gives names of the program's own the built-ins that checked code needs."""
        if names is main:
            return table
        given = names.get("__builtins__", table)
        if type(given) is not dict or any(given.get(name) is not value for name, value in internal.items()):
            names["__builtins__"] = {**(given if type(given) is dict else {}), **internal}
        return names["__builtins__"]

    def run(mode, text, frame, names, local):
        if type(names) is _Globals:
            names = _names[id(names)]
        elif names is None:
            names = frame.f_globals
            if local is None and frame.f_locals is not names:
                local = {name: value for name, value in frame.f_locals.items() if not _hidden(name)}
        if type(names) is not dict:
            raise TypeError(f"{mode}() globals must be a dict of the program's own, not {type(names).__name__}")
        known = prepare(names)
        # A name that restricted built-ins lack is a NameError, as the program expects.
        lacking = () if known.get("eval") is table["eval"] else builtins.__dict__
        code = _compile(text, mode, libraries, [*known, *lacking, *names, *(() if local is None else local)])
        return run_code(code, names, names if local is None else local)

    def eval(source, /, globals=None, locals=None):
        return run("eval", source, _frame(), globals, locals)

    def exec(source, /, globals=None, locals=None):
        run("exec", source, _frame(), globals, locals)

    return {"eval": eval, "exec": exec}


def _attribute(value, name):
    """What the guard puts in the place of some attributes. A program may find it among the built-ins of its own names."""
    if type(name) is not str or name not in guard.CHECKED:
        raise guard.ForbiddenName("this name is not read here")
    return safe_builtins.attribute(value, name)


def given_types(method):
    """For methods of a class that get a type from the engine: they get what a program may see of it."""
    inner = method.__func__ if isinstance(method, (classmethod, staticmethod)) else method

    def call(*args):
        return inner(*map(shown, args))

    call.__name__ = call.__qualname__ = getattr(inner, "__name__", "method")
    return type(method)(call) if isinstance(method, (classmethod, staticmethod)) else call


def exit(code=None):
    """Ends the program."""
    raise SystemExit(code)


quit = exit
for _function in (globals, locals, vars, dir, exit):
    _function.__module__ = "builtins"
TABLE = {"vars": vars, "dir": dir, "locals": locals, "globals": globals, "exit": exit, "quit": exit, "SystemExit": SystemExit}
TABLE |= {"__toolglot_given_types__": given_types, "__toolglot_attribute__": _attribute}
