"""What to do about an error, where that can be known."""

import ast
import builtins
import difflib
import re
import zoneinfo

from . import guard

_unexpected = re.compile(r"^(\w+)\(\) (?:got an unexpected|got multiple|missing|takes)")


def name_error(name, candidates, tools, libraries):
    close = difflib.get_close_matches(name, list(candidates), 1, 0.7)
    if close:
        return f"the tool is called {close[0]}" if close[0] in tools else f"did you mean {close[0]}?"
    if guard.known_module(name):
        return f"{name} is not available; {guard.what_there_is(libraries, name, guard.WITHOUT_IMPORT)}"
    if tools:
        return f"available tools: {', '.join(sorted(tools)[:20])}"
    return None


def for_exception(error, namespace, signatures, libraries):
    """A hint for an exception of the program, or None. Names in it are those that the program has."""
    if isinstance(error, UnboundLocalError):
        return "assign the variable before it is read in this function"
    if isinstance(error, NameError) and _is_name(error.name):
        names = [name for name in namespace if type(name) is str and not name.startswith("__")]
        return name_error(error.name, [*names, *_builtin_names(namespace)], signatures, libraries)
    text = str(error)
    if isinstance(error, ModuleNotFoundError) and _is_name(error.name):
        name = error.name if error.name.split(".")[0] in libraries else error.name.split(".")[0]
        return f"{name} is not available; {guard.what_there_is(libraries, name)}"
    if isinstance(error, zoneinfo.ZoneInfoNotFoundError):
        return "there is no data on time zones here: write datetime.timezone(datetime.timedelta(hours=1)), or ask a tool"
    if isinstance(error, TypeError):
        match = _unexpected.match(text)
        if match and match[1] in signatures:
            return f"call it as {signatures[match[1]]}"
        if "object can't be awaited" in text or "can't be used in 'await'" in text:
            return "tools are plain functions: call them without await"
    if isinstance(error, AttributeError) and _is_name(error.name) and "Did you mean" not in text and error.obj is not None:
        if type(error.obj) is dict:
            return f"a dict has no attributes: write [{error.name!r}] or .get({error.name!r})"
        close = difflib.get_close_matches(error.name, _attributes(error.obj), 1, 0.7)
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


def _builtin_names(namespace):
    """Those that are left by the guard."""
    found = namespace["__builtins__"]
    return [name for name in (found if type(found) is dict else vars(builtins)) if name[0].islower()]


def _attributes(value):
    return [name for name in dir(value) if type(name) is str and name[0] != "_" and not guard.forbidden_attribute(name)]


def for_syntax(error, source_line):
    if "'return' outside function" in error.msg:
        return "assign the value instead: __result__ = …"
    if "'await' outside" in error.msg:
        return "tools are plain functions: call them without await"
    if source_line.lstrip().startswith("```"):
        return "write the code alone, without a fence"
    return None


LAST = "__toolglot_last__"


def keep_last(tree):
    """Keeps the value that was probably meant, so that no hint proposes one that is null."""
    if any(isinstance(node, ast.Name) and node.id == "__result__" and isinstance(node.ctx, ast.Store) for node in ast.walk(tree)):
        return
    for node in reversed(_statements(tree)):
        found = _meant(node)
        if found is not None:
            holder, field, value = found
            name = ast.Name(LAST, ast.Store())
            kept = ast.NamedExpr(name, value)
            for part in (name, kept):
                ast.copy_location(part, value)
            if field == "value":
                holder.value = kept
            else:
                holder.args[field] = kept
            return


def _meant(node):
    """The expression that stands alone in a statement, or is printed there: who holds it, where, and itself."""
    if not isinstance(node, ast.Expr) or isinstance(node.value, (ast.Constant, ast.Yield, ast.YieldFrom, ast.Await)):
        return None
    call = node.value
    if not _calls(call, "print"):
        return node, "value", call
    for index, value in reversed(list(enumerate(call.args))):
        # A text that stands in the program is a label.
        is_label = isinstance(value, ast.Constant) and isinstance(value.value, str)
        if not is_label and not isinstance(value, ast.Starred):
            return call, index, value
    return None


def _statements(tree):
    """Those of the program's top, with those behind `if __name__ == "__main__":`."""
    out = []
    for node in tree.body:
        if isinstance(node, ast.If) and ast.dump(node.test) == _is_main:
            out += node.body
        else:
            out.append(node)
    return out


_is_main = ast.dump(ast.parse("__name__ == '__main__'", mode="eval").body)


def for_missing_result(tree, namespace):
    """What was probably meant, as an assignment whose value was seen and is not null."""
    local = local_result(tree)
    if local:
        return _kept_by(local)
    for node in reversed(_statements(tree)):
        meant = _meant(node)
        if meant is not None and isinstance(meant[2], ast.NamedExpr) and meant[2].target.id == LAST:
            if namespace.get(LAST) is not None:
                return f"write __result__ = {_source(meant[2].value)}"
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and namespace.get(target.id) is not None:
                return f"write __result__ = {target.id} as the last line"
        if isinstance(node, ast.FunctionDef) and namespace.get(node.name) is not None:
            if _returns(node):
                return f"call the function and assign what it returns: __result__ = {node.name}({_parameters(node)})"
            return f"let {node.name} return its value, and write __result__ = {node.name}({_parameters(node)})"
    return "assign the outcome: __result__ = …"


def local_result(tree):
    """The first function of the program's top that assigns `__result__` for itself."""
    for node in _statements(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            parts = _own(node)
            if any(isinstance(part, ast.Global) and "__result__" in part.names for part in parts):
                continue
            if any(isinstance(part, ast.Name) and part.id == "__result__" and isinstance(part.ctx, ast.Store) for part in parts):
                return node
    return None


def for_null_result(tree):
    """A warning for a result that is null because a function kept it for itself, or None."""
    local = local_result(tree)
    return local and f"__result__ is null: {_kept_by(local)}"


def _kept_by(function):
    called = f"{function.name}({_parameters(function)})"
    return f"the one in {function.name} is a local name. Return the value from it, and write __result__ = {called} after it"


def _calls(node, name):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _own(function):
    """The nodes of a function without those of functions within it."""
    found = []
    todo = list(function.body)
    while todo:
        node = todo.pop()
        found.append(node)
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            todo.extend(ast.iter_child_nodes(node))
    return found


def _returns(function):
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) or (isinstance(node, ast.Return) and node.value is not None) for node in _own(function))


def _parameters(function):
    arguments = function.args
    needed = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults) > 0
    return "…" if needed or any(default is None for default in arguments.kw_defaults) else ""


def _source(node):
    try:
        text = ast.unparse(node)
    except RecursionError:
        return "…"
    return text if len(text) <= 80 and "\n" not in text else "…"
