"""What the programs of a session share: their names. All of it lies in the interpreter's memory, which is what is kept."""

from . import clean, data_files, hints, notebook

MAX_VARIABLES = 200
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
            kind, text = clean.shown(value)
            variables.append({"name": name[: clean.MAX_SHOWN], "type": kind, "preview": text})
    return clean.write({"ran": _session is not None and _session.ran, "variables": variables})
