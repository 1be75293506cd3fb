"""What the programs of a session share: their names. All of it lies in the interpreter's memory, which is what is kept."""

import types

from . import clean, data_files, hints, notebook

MAX_VARIABLES = 200
MAX_PREVIEW = 120
# Read past what a program's classes may answer in their place.
_name = type.__dict__["__name__"].__get__
_results = ("__result__", hints.LAST, notebook.LAST, notebook.WHOLE)


class Session:
    def __init__(self):
        # Libraries, tools and builtins: below the program's own names, which may hide them.
        self.layer = {}
        self.names = {"__name__": "__main__", "__builtins__": self.layer}
        self.hash = None
        # Whether the last program was let in.
        self.ran = False


_session = None


def begin():
    """Before each program. Returns the session, and whether it is new."""
    global _session
    is_new = _session is None
    if is_new:
        _session = Session()
    _session.ran = False
    data_files.begin(True)
    return _session, is_new


def end(session, tools, cancelled, warnings):
    """After each program. `tools`: the identifiers of those that it had. `cancelled`: its tasks that were."""
    for name in _results:
        session.names.pop(name, None)
    warnings += [f"file-closed: {path}" for path in data_files.close_all()]
    if cancelled:
        warnings.append(f"task-cancelled: {cancelled}")
    warnings += [f"hides-tool: {name}" for name in tools if name in session.names]


def describe():
    """What the host keeps beside the memory, as JSON text. Runs nothing of the program's."""
    variables = []
    for name, value in _session.names.items() if _session else ():
        if type(name) is str and not name.startswith("__") and len(variables) < MAX_VARIABLES:
            kind = str.__str__(_name(type(value)))[:MAX_PREVIEW]
            variables.append({"name": name[:MAX_PREVIEW], "type": kind, "preview": _cut(_preview(value, 3))})
    return clean.write({"ran": _session is not None and _session.ran, "variables": variables})


def _cut(text):
    return text if len(text) <= MAX_PREVIEW else text[: MAX_PREVIEW - 1] + "…"


def _preview(value, depth):
    """Only of values whose class is the language's own, so that nobody else's code is called."""
    kind = type(value)
    if kind is str or kind is bytes or kind is bytearray:
        return repr(value if len(value) <= MAX_PREVIEW else value[:MAX_PREVIEW])
    if kind is int:
        return repr(value) if value.bit_length() <= 400 else f"<an int of {value.bit_length()} bits>"
    if value is None or kind is bool or kind is float or kind is complex:
        return repr(value)
    if kind is types.FunctionType:
        return "<function>"
    if kind in _brackets:
        return _collection(value, kind, depth)
    return f"<{str.__str__(_name(kind))}>"


_brackets = {list: "[]", tuple: "()", set: "{}", frozenset: "{}", dict: "{}"}


def _collection(value, kind, depth):
    left, right = _brackets[kind]
    if not value:
        return f"{kind.__name__}()" if kind in (set, frozenset) else left + right
    if depth == 0:
        return f"{left}…{right}"
    parts = []
    room = MAX_PREVIEW
    for item in value.items() if kind is dict else value:
        if room <= 0:
            parts.append("…")
            break
        part = ": ".join(_preview(each, depth - 1) for each in item) if kind is dict else _preview(item, depth - 1)
        parts.append(part)
        room -= len(part)
    comma = "," if kind is tuple and len(value) == 1 else ""
    return left + ", ".join(parts) + comma + right
