"""Programs in the style "notebook": they end in a value, import what they use, await, and work on files."""

import ast
import asyncio
import linecache
import sys

from . import awaits, data_files, event_loop, guard, notebook_builtins, notebook_guard, notebook_libraries, restricted, safe_builtins, small_libraries, tools

LAST = "__toolglot_last__"
WHOLE = "__toolglot_program__"

safe_builtins.hide_types(notebook_libraries.MODULES.values())
_TABLE = {**safe_builtins.TABLE, **notebook_builtins.TABLE}
_TABLE |= {"__toolglot_starting__": event_loop.starting, "__toolglot_awaitable__": event_loop.awaitable, "open": data_files.open}


def _nodes(tree):
    """Those that are in no function or class of the program."""
    todo = list(tree.body)
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            todo += [*node.decorator_list, *node.args.defaults, *(default for default in node.args.kw_defaults if default)]
        elif isinstance(node, ast.ClassDef):
            todo += [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]
        elif isinstance(node, ast.comprehension):
            # Its target is a name of its own.
            todo += [node.iter, *node.ifs]
        elif not isinstance(node, ast.Lambda):
            todo += ast.iter_child_nodes(node)


def _bound(tree):
    """The global names that the program's top binds."""
    found = set()
    for node in _nodes(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update((alias.asname or alias.name.split(".")[0]) for alias in node.names if alias.name != "*")
    return found


class _Plain(ast.NodeTransformer):
    """What stands at a module's top and can't stand in a function."""

    def visit_Global(self, node):
        return ast.copy_location(ast.Pass(), node)

    def visit_AnnAssign(self, node):
        if not isinstance(node.target, ast.Name):
            return node
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_FunctionDef(self, node):
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef


def _ends_in_semicolon(lines, node):
    line = lines[node.end_lineno - 1].encode() if node.end_lineno <= len(lines) else b""
    rest = line[node.end_col_offset :].decode("utf-8", "replace").lstrip(" \t)")
    return rest.startswith(";")


def _keep_last(tree, lines, field):
    """Puts the value of a last expression where it can be found: in a name, or as what the function returns."""
    if not tree.body or not isinstance(tree.body[-1], ast.Expr) or _ends_in_semicolon(lines, tree.body[-1]):
        return
    last = tree.body[-1]
    kept = ast.Return(last.value) if field == "return" else ast.Assign([ast.Name(LAST, ast.Store())], last.value)
    ast.copy_location(kept, last)
    tree.body[-1] = ast.fix_missing_locations(kept)


class Notebook:
    """What is different for one program of this style."""

    def __init__(self, request, host, lines, plain_names):
        self.request = request
        self.lines = lines
        self.calls = event_loop.Calls(host, "clock" in request)
        event_loop.attach(self.calls)
        event_loop.install()
        self.libraries = notebook_libraries.allowed(request["libraries"])
        functions = {tool["identifier"]: event_loop.make(tool) for tool in request["tools"]}
        self.lower = {**plain_names, "ToolError": tools.ToolError, **functions, **tools.groups(request["tools"], functions)}
        self.whole = False

    def namespace(self, hash, layer, names):
        """`names`, the program's own, over `layer`, which gets the tools and the libraries."""
        names |= {"__name__": "__main__", "__doc__": None, "__builtins__": layer}
        if not self.request["guard"]:
            builtins = vars(sys.modules["builtins"])
            started = {key: _TABLE[key] for key in ("__toolglot_starting__", "__toolglot_awaitable__")}
            layer |= {**builtins, **self.lower, "hash": hash, **started}
            return names
        restricted.disarm()
        data_files.confine()
        small_libraries.confine()
        table = layer
        table |= {**_TABLE, **self.lower, "hash": hash, "__toolglot_import__": notebook_libraries.importer(self.libraries)}
        table |= notebook_builtins.executing(table, (self.libraries, notebook_libraries.public_names), names)
        self.table = table
        return names

    def compile(self, tree, available):
        """Raises guard.Refused and SyntaxError."""
        if self.request["guard"]:
            notebook_guard.check(tree, available | self.table.keys(), (self.libraries, notebook_libraries.public_names))
        awaits.rewrite(tree)
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.whole = any(isinstance(node, ast.Return) for node in _nodes(tree))
        if not self.whole:
            _keep_last(tree, self.lines, "name")
            return compile(tree, guard.PROGRAM, "exec", flags)
        return self.as_function(tree)

    def as_function(self, tree):
        """A program with `return` at its top: all that it binds there is global as ever."""
        inner = list(_nodes(tree))
        for node in inner:
            if isinstance(node, (ast.Yield, ast.YieldFrom)):
                raise SyntaxError("'yield' outside function", (guard.PROGRAM, node.lineno, node.col_offset + 1, None))
        waits = any(isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)) or getattr(node, "is_async", 0) for node in inner)
        names = sorted(_bound(tree))
        tree = _Plain().visit(tree)
        _keep_last(tree, self.lines, "return")
        future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
        body = [node for node in tree.body if node not in future]
        kind = ast.AsyncFunctionDef if waits else ast.FunctionDef
        none = ast.arguments([], [], None, [], [], None, [])
        whole = kind(WHOLE, none, [ast.Global(names), *body] if names else body, [], None, None, [])
        tree.body = [*future, whole]
        return compile(ast.fix_missing_locations(tree), guard.PROGRAM, "exec")

    def run(self, code, namespace):
        """The value of the program's end: its `__result__`, what it returned, or its last expression."""
        linecache.cache[guard.PROGRAM] = (1, None, [line + "\n" for line in self.lines], guard.PROGRAM)
        value = None
        try:
            value = self.finish(eval(code, namespace))
            if self.whole:
                value = self.finish(namespace.pop(WHOLE)())
            elif LAST in namespace:
                value = self.finish(namespace.pop(LAST))
        except SystemExit as exit:
            if exit.code not in (None, 0):
                raise
        unhandled = self.calls.unhandled()
        if unhandled is not None:
            raise unhandled
        return namespace.get("__result__", value)

    def finish(self, value):
        return event_loop.run(value) if asyncio.iscoroutine(value) else value
