"""Reads a program before it runs: refuses what it must not do, by line, and rewrites what needs a check at run time.

This layer gives good messages. The boundary is the process around the interpreter.
"""

import ast
import builtins
import difflib
import enum
import sys
import types
import typing

from . import library

PROGRAM = "<program>"

_operators = (
    "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift radd rsub rmul rtruediv rfloordiv "
    "rmod rpow rand ror rxor iadd isub imul itruediv ifloordiv imod ipow iand ior ixor neg pos abs invert eq ne lt le "
    "gt ge hash len length_hint iter next reversed contains getitem setitem delitem missing call enter exit aenter aexit aiter anext "
    "await bool int float complex index round trunc floor ceil str repr format bytes init new post_init rmatmul imatmul rdivmod "
    "init_subclass class_getitem copy deepcopy replace"
)


def _dunders(words):
    return frozenset(f"__{word}__" for word in words.split())


# Methods a class may define, and whose direct use does no harm.
METHODS = _dunders(_operators)
# Methods that take the name of an attribute: their use is checked.
HOOKS = _dunders("getattribute getattr setattr delattr")
# Methods a class may define for the engine to call.
_callbacks = _dunders("get set delete set_name dir sizeof")
# Attributes that may be read besides.
READABLE = METHODS | HOOKS | _dunders("name qualname doc class cause context suppress_context notes")
# Names that may be defined, assigned and read.
NAMES = METHODS | HOOKS | _callbacks | _dunders("result name debug slots doc all author version")
# In the style "notebook" these may be read as well, of the program's own objects, through a check at run time; `__module__`
# and `__version__` of all.
REFLECTION = _dunders("dict mro annotations")
_readable_there = REFLECTION | _dunders("module version")
# And these may be defined: all special methods but those that are called at tear-down or name what makes an object anew.
_definable_there = _dunders(
    "instancecheck subclasscheck subclasshook prepare mro_entries fspath buffer release_buffer getnewargs getnewargs_ex "
    "getstate setstate file path main"
)
# What the engine gives a type of its own.
GIVEN_TYPES = _dunders("instancecheck subclasscheck subclasshook")
# Attribute names that are looked up through a check at run time.
CHECKED = frozenset({"format", "format_map", "__class__", "__cause__", "__context__"}) | HOOKS | REFLECTION

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


# The rules of the program that runs: of the style "notebook", or not.
_notebook = False
# Methods of tasks that give frames.
_of_tasks = frozenset({"get_stack", "print_stack"})


def use_notebook_rules(wanted):
    """Called before each program."""
    global _notebook
    _notebook = wanted


def forbidden_attribute(name):
    if name in INTERNALS or (_notebook and name in _of_tasks):
        return True
    return is_dunder(name) and name not in READABLE and not (_notebook and name in _readable_there)


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
    if is_dunder(name) and name not in NAMES and not (_notebook and name in _definable_there):
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
        if not are_match_args([item.value if isinstance(item, ast.Constant) else None for item in items]):
            raise Refused("ForbiddenName", "__match_args__ takes the names of plain attributes, as text", node)
    return found


def are_match_args(names):
    """Whether patterns may read these attributes."""
    return type(names) in (list, tuple) and not any(
        type(name) is not str or forbidden_attribute(name) or name in CHECKED for name in names
    )


# What to do instead, and the library that it takes.
_advice = {
    "open": ("there is no file access: use a tool, or work on values you already have", None),
    "input": ("nobody can answer while the program runs: use the values you have", None),
    "eval": ("write the expression itself, or use json.loads for data", "json"),
    "exec": ("write the statements themselves", None),
    "compile": ("for a regular expression use re.compile", "re"),
    "globals": ("keep values in a dict of your own", None),
    "locals": ("keep values in a dict of your own", None),
    "vars": ("read the attributes by name", None),
    "dir": ("read the attributes by name", None),
    "exit": ("the program ends at its last line: assign __result__ and leave the rest to if and else", None),
    "quit": ("the program ends at its last line: assign __result__ and leave the rest to if and else", None),
}


_advice_there = {"input": ("nobody types while the program runs: ask with a tool, or use the values you have", None)}


def _check_load(node, allowed, bound, libraries):
    name = node.id
    if name in bound or name in allowed or is_dunder(name):
        return
    if hasattr(builtins, name):
        hint, needs = (_notebook and _advice_there.get(name)) or _advice.get(name, (None, None))
        raise Refused("ForbiddenName", f"{name} is not available here", node, hint if needs is None or needs in libraries else None)


# More than these are not listed in a hint.
_FEW = 8
WITHOUT_IMPORT = "without any import "
# What models import that is not here, and what does the same.
_INSTEAD = {
    "requests": "a tool", "urllib3": "a tool", "httpx": "a tool", "aiohttp": "a tool", "socket": "a tool", "subprocess": "a tool",
    "pandas": "csv", "numpy": "statistics", "yaml": "json", "dateutil": "datetime", "pytz": "zoneinfo", "simplejson": "json", "bs4": "html.parser",
    "lxml": "xml.etree.ElementTree", "threading": "asyncio", "multiprocessing": "concurrent.futures", "pickle": "json",
}  # fmt: skip


def near_ones(name, libraries):
    """Those of the libraries that were probably meant, all of them when they are few, or what does the same."""
    names = [one for one in libraries if one != "__future__"]
    instead = _INSTEAD.get(name.split(".")[0])
    if instead == "a tool" or len(names) <= _FEW:
        return [] if instead == "a tool" else [one for one in names if "." not in one]
    close = difflib.get_close_matches(name, names, 3, 0.7)
    return [*close, *([instead] if instead in names and instead not in close else [])]


def what_there_is(libraries, name, without=""):
    """The end of a hint. `without`: what is not needed for them."""
    found = near_ones(name, libraries)
    if not libraries:
        return "there are the tools, and no libraries"
    if not found:
        return "ask a tool, or do without"
    return f"{without}there {'are' if len(found) > 1 else 'is'} {', '.join(found)}, and the tools"


def _import_refused(node, modules, libraries):
    foreign = [module for module in modules if module not in libraries]
    if foreign:
        name = foreign[0].split(".")[0] or "."
        hint = f"{foreign[0] if name in libraries else name} is not available; {what_there_is(libraries, name, WITHOUT_IMPORT)}"
        return Refused("ImportForbidden", "import statements are not allowed", node, hint)
    roots = list(dict.fromkeys(module.split(".")[0] for module in modules))
    hint = f"{', '.join(roots)} {'are' if len(roots) > 1 else 'is'} already available: remove the import"
    if isinstance(node, ast.ImportFrom):
        public = library.public_names(libraries[node.module])
        uses = ", ".join(f"{node.module}.{alias.name}" for alias in node.names if alias.name in public)
    else:
        uses = ", ".join(alias.name for alias in node.names if alias.asname and alias.asname != alias.name)
    return Refused("ImportForbidden", "import statements are not allowed", node, f"{hint} and write {uses}" if uses else hint)


def _imported(node, libraries, in_function):
    """The statements that do what an import of allowed libraries does; None when it asks for anything else."""
    if isinstance(node, ast.Import):
        if any(alias.name not in libraries for alias in node.names):
            return None
        # Without a name of its own the library before the dot is bound.
        wanted = [(alias.asname or root, alias.name if alias.asname else root, None)
                  for alias in node.names for root in [alias.name.split(".")[0]]]  # fmt: skip
    else:
        if node.level or node.module not in libraries or any(forbidden_attribute(alias.name) for alias in node.names):
            return None
        if node.module == "__future__":
            # The compiler's own business: which there are, and where they may stand.
            return [node]
        wanted = []
        for alias in node.names:
            if alias.name == "*" and in_function:
                raise Refused("SyntaxError", "import * only allowed at module level", node)
            names = library.public_names(libraries[node.module]) if alias.name == "*" else [alias.name]
            wanted += [(alias.asname or name, node.module, name) for name in names]
    statements = []
    for target, *arguments in wanted:
        function = ast.Name("__toolglot_import__", ast.Load())
        function.is_ours = True
        call = ast.Call(function, [ast.Constant(argument) for argument in arguments], [])
        statements.append(placed(ast.Assign([ast.Name(target, ast.Store())], call), node))
    return statements


def placed(new, old):
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


def _resolve_imports(tree, ignore, libraries, warnings, instead_of_import):
    """Refuses imports, or puts in their place what does the same."""
    scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    local = set()
    # Outer statements come first.
    for node in list(ast.walk(tree)):
        in_function = isinstance(node, scopes) or id(node) in local
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            block = getattr(node, field, None)
            if type(block) is not list:
                continue
            if in_function:
                local.update(map(id, block))
            out = []
            for statement in block:
                if not isinstance(statement, (ast.Import, ast.ImportFrom)):
                    out.append(statement)
                    continue
                if instead_of_import:
                    out.extend(instead_of_import(statement, in_function))
                    continue
                if isinstance(statement, ast.Import):
                    modules = [alias.name for alias in statement.names]
                else:
                    modules = [f"{'.' * statement.level}{statement.module or ''}"]
                instead = _imported(statement, libraries, in_function) if ignore else None
                if instead is None:
                    raise _import_refused(statement, modules, libraries)
                out.extend(instead)
                if modules != ["__future__"]:
                    warnings.append(f"line {statement.lineno}: import of {', '.join(modules)} ignored, it is already there")
            block[:] = out


def check(tree, available, libraries, ignore_imports, warnings, instead_of_import=None):
    """Refuses or rewrites the tree in place.

    `available`: names of builtins, libraries and tools. `libraries`: the modules that may be imported, by name.
    `instead_of_import`: gives the statements for an import that is neither refused nor ignored.
    """
    first = any(isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.walk(tree))
    problems = []
    if first:
        try:
            _resolve_imports(tree, ignore_imports, libraries, warnings, instead_of_import)
        except Refused as refused:
            problems.append(refused)
    nodes = [node for node in ast.walk(tree) if not isinstance(node, (ast.Import, ast.ImportFrom))]
    if problems:
        nodes = [node for node in nodes if not isinstance(node, ast.alias)]
    bound = _bound_names(nodes)
    harmless = set()
    for node in nodes:
        if getattr(node, "is_ours", False):
            continue
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
                _check_load(node, available, bound, libraries)
        except Refused as refused:
            problems.append(refused)
    if problems:
        raise min(problems, key=lambda refused: (refused.line, refused.offset))
    _rewrite(nodes)


def known_module(name):
    return name in sys.stdlib_module_names
