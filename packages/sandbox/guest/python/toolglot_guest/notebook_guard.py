"""What the guard does else for programs of the style "notebook"."""

import ast

from . import guard


def _import_call(*arguments):
    function = ast.Name("__toolglot_import__", ast.Load())
    function.is_ours = True
    return ast.Call(function, [ast.Constant(argument) for argument in arguments], [])


def _real_import(node, libraries, public_names, in_function):
    """The statements that do what Python's own import does, with the libraries that there are."""
    if isinstance(node, ast.ImportFrom) and node.module == "__future__" and not node.level:
        return [node]
    wanted = []
    if isinstance(node, ast.Import):
        for alias in node.names:
            wanted.append((alias.asname or alias.name.split(".")[0], _import_call(alias.name, None, alias.asname is None)))
    elif node.level:
        wanted.append((None, _import_call("." * node.level + (node.module or ""), None, False)))
    else:
        for alias in node.names:
            if alias.name == "*" and in_function:
                raise guard.Refused("SyntaxError", "import * only allowed at module level", node)
            if guard.is_dunder(alias.name):
                raise guard.Refused("ForbiddenName", f"the attribute {alias.name} is not available here", node)
            module = libraries.get(node.module)
            if module is None:
                wanted.append((None, _import_call(node.module, None, False)))
                continue
            names = public_names(module) if alias.name == "*" else [alias.name]
            wanted += [(alias.asname or name, _import_call(node.module, name, False)) for name in names]
    return [
        guard.placed(ast.Expr(call) if target is None else ast.Assign([ast.Name(target, ast.Store())], call), node)
        for target, call in wanted
    ]


def _checked_types(nodes):
    """Special methods that would get a type of the engine."""
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in guard.GIVEN_TYPES:
            function = ast.Name("__toolglot_given_types__", ast.Load())
            ast.copy_location(function, node)
            function.is_ours = True
            node.decorator_list.append(function)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in guard.GIVEN_TYPES:
            raise guard.Refused("ForbiddenName", f"{node.id} is defined with def here", node)


def check(tree, available, libraries):
    """As guard.check, for the style "notebook". `libraries`: a pair, the modules by name and what gives their public names."""
    modules, public_names = libraries
    guard.check(
        tree, available, modules, False, [], lambda node, in_function: _real_import(node, modules, public_names, in_function)
    )
    _checked_types(list(ast.walk(tree)))
