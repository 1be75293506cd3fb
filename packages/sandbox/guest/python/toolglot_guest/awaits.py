"""Rewrites the calls that a program awaits, or gives to what runs side by side, so that tools among them are started at once."""

import ast

# What takes awaitables, by the last part of its name.
_takers = frozenset("gather create_task ensure_future wait_for as_completed shield wait run run_until_complete".split())
_scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def _name(function):
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else None


def _ours(name):
    found = ast.Name(name, ast.Load())
    found.is_ours = True
    return found


def _start(call):
    call.func = ast.Call(_ours("__toolglot_starting__"), [call.func], [])
    ast.copy_location(call.func, call)
    ast.fix_missing_locations(call.func)


def _values(node):
    """The calls whose values an expression gives, and the names that it takes them from."""
    calls, names, todo = [], set(), [node]
    while todo:
        one = todo.pop()
        if isinstance(one, ast.Call):
            calls.append(one)
        elif isinstance(one, ast.Name):
            names.add(one.id)
        elif isinstance(one, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            todo.append(one.elt)
        elif isinstance(one, ast.DictComp):
            todo.append(one.value)
        elif isinstance(one, (ast.List, ast.Tuple, ast.Set)):
            todo += one.elts
        elif isinstance(one, ast.Dict):
            todo += one.values
        elif isinstance(one, ast.IfExp):
            todo += [one.body, one.orelse]
        elif isinstance(one, (ast.Starred, ast.NamedExpr)):
            todo.append(one.value)
        elif isinstance(one, ast.Subscript):
            todo.append(one.value)
    return calls, names


def _own(scope):
    """The nodes of a scope without those of functions and classes within it."""
    found = []
    todo = list(scope.body) if isinstance(scope.body, list) else [scope.body]
    while todo:
        node = todo.pop()
        found.append(node)
        if not isinstance(node, _scopes):
            todo.extend(ast.iter_child_nodes(node))
    return found


def _stored(node):
    """Names that a statement puts a value into, and the value."""
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)], node.value
    if isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and isinstance(node.target, ast.Name):
        return [node.target.id], node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        if node.func.attr in ("append", "add") and len(node.args) == 1:
            return [node.func.value.id], node.args[0]
    return [], None


def _rewrite_scope(scope):
    nodes = _own(scope)
    calls, names = [], set()
    for node in nodes:
        given = []
        if isinstance(node, ast.Await):
            given = [node.value]
        elif isinstance(node, ast.Call) and _name(node.func) in _takers:
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
        for value in given:
            found, taken = _values(value)
            calls += found
            names |= taken
    # One name is a list that another one is made of: a few steps find them all.
    for node in nodes:
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)) and isinstance(node.target, ast.Name) and node.target.id in names:
            names |= _values(node.iter)[1]
    for node in nodes:
        targets, value = _stored(node)
        if value is not None and names.intersection(targets):
            calls += _values(value)[0]
    for call in {id(call): call for call in calls}.values():
        _start(call)
    for node in nodes:
        if isinstance(node, ast.Await):
            call = ast.Call(_ours("__toolglot_awaitable__"), [node.value], [])
            ast.copy_location(call, node.value)
            ast.fix_missing_locations(call)
            node.value = call


def rewrite(tree):
    """In place. A call in any other place gives its value at once."""
    found = any(isinstance(node, ast.Await) or (isinstance(node, ast.Call) and _name(node.func) in _takers) for node in ast.walk(tree))
    if not found:
        return
    scopes = [node for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.Expression, ast.FunctionDef, ast.AsyncFunctionDef))]
    for scope in scopes:
        _rewrite_scope(scope)
