"""Reads a program before it runs: refuses what it must not do, by line, and rewrites what needs a check at run time.

This layer gives good messages. The boundary is the process around the interpreter.
"""

import ast
import builtins
import enum
import sys
import types
import typing

PROGRAM = "<program>"
LIBRARIES = ("math", "json", "datetime", "re", "random", "statistics")

_operators = (
    "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift radd rsub rmul rtruediv rfloordiv "
    "rmod rpow rand ror rxor iadd isub imul itruediv ifloordiv imod ipow iand ior ixor neg pos abs invert eq ne lt le "
    "gt ge hash len length_hint iter next reversed contains getitem setitem delitem missing call enter exit aenter aexit aiter anext "
    "await bool int float complex index round trunc floor ceil str repr format bytes init new post_init"
)
# Methods a class may define, and whose direct use does no harm.
METHODS = frozenset(f"__{word}__" for word in _operators.split())
# Attributes that may be read besides.
READABLE = METHODS | {"__name__", "__qualname__", "__doc__", "__class__"}
# Names that may be defined, assigned and read.
NAMES = METHODS | {"__result__", "__name__", "__debug__", "__slots__", "__doc__"}
# Attribute names that are looked up through a check at run time.
CHECKED = frozenset({"format", "format_map", "__class__"})

_internal = (
    types.FrameType, types.CodeType, types.TracebackType, types.GeneratorType, types.CoroutineType,
    types.AsyncGeneratorType,
)  # fmt: skip
# f_globals, gi_frame, tb_frame, co_consts and so on; then what reads modules or makes code of text: `_convert_` of
# enumerations, `evaluate_bound` of type parameters, the private methods of generic classes.
INTERNALS = (
    frozenset(
        name for kind in _internal for name in dir(kind) if name[:3] in ("co_", "gi_", "cr_", "ag_", "tb_") or name[:2] == "f_"
    )
    | {name for name in {*dir(enum.Flag), *vars(enum.EnumType), *vars(enum.Enum)} if name[0] == name[-1] == "_" != name[1]}
    | {name for name in dir(typing._GenericAlias) if name[0] == "_" != name[1]}
    | {"cell_contents", "evaluate_value", "evaluate_bound", "evaluate_constraints", "evaluate_default"}
)


class Refused(Exception):
    """A program that must not run."""

    def __init__(self, type, message, node, hint=None):
        super().__init__(message)
        self.type = type
        self.message = message
        self.line = getattr(node, "lineno", 1)
        self.offset = getattr(node, "col_offset", 0)
        self.hint = hint


class ForbiddenName(Exception):
    """A name that was put together at run time and must not be used."""


def is_dunder(name):
    return name.startswith("__") and name.endswith("__") and len(name) > 4


def forbidden_attribute(name):
    return (is_dunder(name) and name not in READABLE) or name in INTERNALS


def check_attribute(name):
    """For names that are only known at run time. Raises ForbiddenName."""
    if type(name) is not str:
        raise TypeError("attribute name must be a plain string")
    if forbidden_attribute(name):
        raise ForbiddenName(f"the attribute {name} is not available here")


def _identifiers(node):
    """Every identifier in a node, whatever field it is in, so that no kind of binding is forgotten."""
    for field in node._fields:
        if field in ("value", "kind", "type_comment", "str"):
            continue
        value = getattr(node, field, None)
        if type(value) is str:
            yield field, value
        elif type(value) is list:
            for item in value:
                if type(item) is str:
                    yield field, item


def _bound_names(nodes):
    bound = set()
    for node in nodes:
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                bound.add(node.id)
        elif isinstance(node, ast.keyword):
            continue
        elif not isinstance(node, (ast.Attribute, ast.Import, ast.ImportFrom, ast.alias)):
            bound.update(name for field, name in _identifiers(node) if field != "kwd_attrs")
    return bound


def _check_name(node, name):
    if is_dunder(name) and name not in NAMES:
        raise Refused("ForbiddenName", f"the name {name} is not available here", node)


def _attributes(node):
    return [part for part in ast.walk(node) if isinstance(part, ast.Attribute)]


def _check_unrewritten(node):
    """Attributes that are read where no call can stand: those must not be ones that need a check."""
    read = []
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute):
        read = [node.target]
    elif isinstance(node, ast.MatchValue):
        read = _attributes(node.value)
    elif isinstance(node, ast.MatchClass):
        read = _attributes(node.cls)
    elif isinstance(node, ast.MatchMapping):
        read = [part for key in node.keys for part in _attributes(key)]
    for part in read:
        if part.attr in CHECKED:
            raise Refused("ForbiddenName", f"the attribute {part.attr} cannot be used like this here", part)


def _check_match_args(node):
    """`__match_args__` names attributes that patterns read: a list that can be read here, with harmless names."""
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    else:
        return []
    found = [target for target in targets if isinstance(target, ast.Name) and target.id == "__match_args__"]
    if found:
        items = node.value.elts if isinstance(node.value, (ast.Tuple, ast.List)) else [None]
        for item in items:
            name = item.value if isinstance(item, ast.Constant) else None
            if type(name) is not str or forbidden_attribute(name) or name in CHECKED:
                raise Refused("ForbiddenName", "__match_args__ takes the names of plain attributes, as text", node)
    return found


_advice = {
    "open": "there is no file access: use a tool, or work on values you already have",
    "input": "nobody can answer while the program runs: use the values you have",
    "eval": "write the expression itself, or use json.loads for data",
    "exec": "write the statements themselves",
    "compile": "for a regular expression use re.compile",
    "globals": "keep values in a dict of your own",
    "locals": "keep values in a dict of your own",
    "vars": "read the attributes by name",
    "dir": "read the attributes by name",
    "exit": "the program ends at its last line: assign __result__ and leave the rest to if and else",
    "quit": "the program ends at its last line: assign __result__ and leave the rest to if and else",
}


def _check_load(node, allowed, bound):
    name = node.id
    if name in bound or name in allowed or is_dunder(name):
        return
    if hasattr(builtins, name):
        raise Refused("ForbiddenName", f"{name} is not available here", node, _advice.get(name))


def _import_refused(node, modules, allowed):
    roots = [module.split(".")[0] or "." for module in modules]
    foreign = [root for root in roots if root not in allowed]
    if not foreign:
        names = ", ".join(dict.fromkeys(roots))
        verb = "are" if len(set(roots)) > 1 else "is"
        hint = f"{names} {verb} already available: remove the import"
        if isinstance(node, ast.ImportFrom):
            uses = ", ".join(f"{roots[0]}.{alias.name}" for alias in node.names if alias.name != "*")
            hint += f" and write {uses}" if uses else ""
    else:
        hint = f"{foreign[0]} is not available; without any import there are {', '.join(allowed)}, and the tools"
    return Refused("ImportForbidden", "import statements are not allowed", node, hint)


def _imported(node, allowed, public):
    """The statements that an import of allowed libraries stands for; None when it asks for anything else."""
    pairs = []
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name not in allowed:
                return None
            if alias.asname and alias.asname != alias.name:
                pairs.append((alias.asname, alias.name, None))
    else:
        if node.level or node.module not in allowed:
            return None
        for alias in node.names:
            names = public[node.module] if alias.name == "*" else [alias.name]
            for name in names:
                if forbidden_attribute(name):
                    return None
                if name != node.module:
                    pairs.append((alias.asname or name, node.module, name))
                elif alias.asname and alias.asname != name:
                    pairs.append((alias.asname, node.module, None))
    statements = []
    for target, module, name in pairs:
        value = ast.Name(module, ast.Load())
        if name is not None:
            value = ast.Attribute(value, name, ast.Load())
        statements.append(ast.Assign([ast.Name(target, ast.Store())], value))
    return [_placed(statement, node) for statement in statements or [ast.Pass()]]


def _placed(new, old):
    ast.copy_location(new, old)
    ast.fix_missing_locations(new)
    return new


def _replacement(node):
    """`x.format` becomes a checked lookup: format strings can walk attributes."""
    if isinstance(node, ast.Attribute) and node.attr in CHECKED and isinstance(node.ctx, ast.Load):
        call = ast.Call(ast.Name("__toolglot_attribute__", ast.Load()), [node.value, ast.Constant(node.attr)], [])
        ast.copy_location(call, node)
        for part in (call.func, call.args[1]):
            ast.copy_location(part, node)
        return call
    return node


def _rewrite(nodes):
    # Not ast.NodeTransformer: that one recurses, and long sums are deep trees.
    for node in nodes:
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.Attribute):
                setattr(node, field, _replacement(value))
            elif type(value) is list:
                value[:] = [_replacement(item) if isinstance(item, ast.Attribute) else item for item in value]


def _resolve_imports(tree, ignore, allowed, public, warnings):
    """Refuses imports, or replaces those of allowed libraries by what they bind."""
    for node in list(ast.walk(tree)):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if type(block) is not list:
                continue
            out = []
            for statement in block:
                if not isinstance(statement, (ast.Import, ast.ImportFrom)):
                    out.append(statement)
                    continue
                if isinstance(statement, ast.Import):
                    modules = [alias.name for alias in statement.names]
                else:
                    modules = [statement.module or "."]
                instead = _imported(statement, allowed, public) if ignore else None
                if instead is None:
                    raise _import_refused(statement, modules, allowed)
                warnings.append(f"line {statement.lineno}: import of {', '.join(modules)} ignored, it is already there")
                out.extend(instead)
            block[:] = out


def check(tree, available, ignore_imports, public, warnings):
    """Refuses or rewrites the tree in place. `available`: names of builtins, libraries and tools."""
    first = sorted(
        (node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))), key=lambda node: node.lineno
    )
    problems = []
    if first:
        try:
            _resolve_imports(tree, ignore_imports, LIBRARIES, public, warnings)
        except Refused as refused:
            problems.append(refused)
    nodes = [node for node in ast.walk(tree) if not isinstance(node, (ast.Import, ast.ImportFrom, ast.alias))]
    bound = _bound_names(nodes)
    harmless = set()
    for node in nodes:
        try:
            harmless.update(_check_match_args(node))
            for field, name in _identifiers(node):
                if field == "attr" or field == "kwd_attrs":
                    if forbidden_attribute(name) or (field == "kwd_attrs" and name in CHECKED):
                        raise Refused("ForbiddenName", f"the attribute {name} is not available here", node)
                elif name != "__match_args__" or node not in harmless:
                    _check_name(node, name)
            _check_unrewritten(node)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                _check_load(node, available, bound)
        except Refused as refused:
            problems.append(refused)
    if problems:
        raise min(problems, key=lambda refused: (refused.line, refused.offset))
    _rewrite(nodes)


def known_module(name):
    return name in sys.stdlib_module_names
