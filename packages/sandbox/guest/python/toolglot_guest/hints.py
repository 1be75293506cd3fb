"""What to do about an error, where that can be known."""

import ast
import builtins
import difflib
import re

from . import guard

_unexpected = re.compile(r"^(\w+)\(\) (?:got an unexpected|got multiple|missing|takes)")


def name_error(name, candidates, tools):
    close = difflib.get_close_matches(name, list(candidates), 1, 0.7)
    if close:
        kind = "the tool is called" if close[0] in tools else "did you mean"
        return f"{kind} {close[0]}" + ("" if close[0] in tools else "?")
    if guard.known_module(name):
        return f"{name} is not available; without any import there are {', '.join(guard.LIBRARIES)}, and the tools"
    if tools:
        return f"available tools: {', '.join(sorted(tools)[:20])}"
    return None


def for_exception(error, namespace, signatures):
    """A hint for an exception of the program, or None."""
    if isinstance(error, UnboundLocalError):
        return "assign the variable before it is read in this function"
    if isinstance(error, NameError) and _is_name(error.name):
        names = [name for name in namespace if not name.startswith("__")]
        return name_error(error.name, [*names, *_builtin_names()], signatures)
    text = str(error)
    if isinstance(error, TypeError):
        match = _unexpected.match(text)
        if match and match[1] in signatures:
            return f"call it as {signatures[match[1]]}"
        if "object can't be awaited" in text or "can't be used in 'await'" in text:
            return "tools are plain functions: call them without await"
    if isinstance(error, AttributeError) and _is_name(error.name) and "Did you mean" not in text and error.obj is not None:
        if type(error.obj) is dict:
            return f"a dict has no attributes: write [{error.name!r}] or .get({error.name!r})"
        close = difflib.get_close_matches(error.name, [name for name in dir(error.obj) if name[0] != "_"], 1, 0.7)
        if close:
            return f"did you mean {close[0]}?"
    if isinstance(error, MemoryError):
        return "keep less in memory at once: work in parts, or ask the tools for less"
    if isinstance(error, RecursionError):
        return "use a loop, or a smaller depth"
    return None


def _is_name(value):
    """A program may put anything there, and comparing long text takes long."""
    return type(value) is str and 0 < len(value) <= 100


def _builtin_names():
    return [name for name in vars(builtins) if not name.startswith("_") and name[0].islower()]


def for_syntax(error, source_line):
    if "'return' outside function" in error.msg:
        return "assign the value instead: __result__ = …"
    if "'await' outside" in error.msg:
        return "tools are plain functions: call them without await"
    if source_line.lstrip().startswith("```"):
        return "write the code alone, without a fence"
    return None


def for_missing_result(tree):
    """The statement that was probably meant, as an assignment."""
    for node in reversed(tree.body):
        if isinstance(node, ast.Expr):
            value = node.value
            if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print" and value.args:
                value = value.args[0]
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and node is not tree.body[-1]:
                continue
            return f"write __result__ = {_source(value)}"
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            return f"write __result__ = {node.targets[0].id} as the last line"
        if isinstance(node, (ast.AnnAssign, ast.AugAssign)) and isinstance(node.target, ast.Name):
            return f"write __result__ = {node.target.id} as the last line"
        if isinstance(node, ast.FunctionDef):
            return f"call the function and assign what it returns: __result__ = {node.name}(…)"
    return "assign the outcome: __result__ = …"


def _source(node):
    try:
        text = ast.unparse(node)
    except RecursionError:
        return "…"
    return text if len(text) <= 80 and "\n" not in text else "…"
