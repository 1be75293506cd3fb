"""Runs one program and reports how it ended, as JSON text."""

import ast
import builtins
import gc
import random
import re
import sys
import types

from . import clean, guard, hints, library, notebook, output, restricted, safe_builtins, session, tools

MAX_MESSAGE = 2000
# As CPython counts lines.
_line_end = re.compile("\r\n|\r|\n")
# Half of a character of UTF-16, which no source may hold.
_surrogate = re.compile("[\ud800-\udfff]")
# Ends of a run: a program's own class of this name is reported as `Exception`.
_OURS = frozenset(
    "Timeout MemoryLimit Aborted MissingResult ImportForbidden ForbiddenName ToolCallLimit ResultTooLarge SourceTooLarge "
    "EngineFailure InDoubt Diverged LeaseLost JournalFailure".split()
)
_host = None
# Read past what a program's classes may answer in their place.
_name = type.__dict__["__name__"].__get__
_traceback = BaseException.__dict__["__traceback__"].__get__
_dict = BaseException.__dict__["__dict__"].__get__
# The last program with all its values. Taking apart what a program has built can take longer than the run, and the
# deepest of it would overflow the engine's stack; the process ends instead.
_kept = []
# Given up when a program fails, so that its error can be told when there is no memory left.
_reserve = [bytearray(1024 * 1024)]


def attach(host):
    """Called once, before the first program. The engine's own interface goes: nothing needs it from here on."""
    global _host
    _host = host
    sys.modules.pop("pyodide_js", None)


def settle():
    """Called last, before the first program: what is there by now is never looked at again to be collected."""
    gc.freeze()


class _Ended(Exception):
    """How a run ended, when that was no exception of the program."""

    def __init__(self, type, message, **more):
        self.report = {"type": type, "message": message, **{key: value for key, value in more.items() if value is not None}}


def run(text):
    """`text`: the request. Returns one frame: a result or an error."""
    request = clean.read(text)
    program = _Program(request)
    if not program.session:
        _kept.append(program)
    try:
        try:
            return program.execute()
        except BaseException as error:
            if not program.session or isinstance(error, MemoryError):
                _reserve.clear()
                # What it holds would be taken apart as well.
                _kept.append(error)
            # From here on the clock must not interrupt: this is no longer the program's time.
            late = _host("") == "late"
            return program.failed(error.report if type(error) is _Ended else program.describe(error, late))
    except MemoryError:
        return program.failed(_memory_report(request))


def _memory_report(request):
    return {
        "type": "MemoryError",
        "message": f"the program needs more than {request['limits']['memoryMb']} MB",
        "hint": "keep less in memory at once: work in parts, or ask the tools for less",
    }


class _Program:
    def __init__(self, request):
        self.request = request
        # A byte order mark is no part of a program.
        self.source = request["code"].removeprefix("\ufeff")
        self.lines = _line_end.split(self.source)
        self.warnings = []
        is_notebook = request.get("style") == "notebook"
        self.cleaner = clean.Cleaner(request["limits"]["maxResultBytes"], tables=is_notebook)
        self.budget = output.Budget(request["limits"]["maxLogBytes"])
        self.streams = [output.Output(name, self.budget, _host) for name in ("stdout", "stderr")]
        self.signatures = {tool["identifier"]: tools.signature(tool) for tool in request["tools"]}
        self.tree = None
        self.libraries = library.allowed(request["libraries"])
        self.session, is_first = session.begin() if "session" in request else (None, True)
        seed = request["seed"]
        if is_first or request["session"].get("reseed"):
            library.reseed(seed)
        self.hash = self.session and self.session.hash
        if not self.hash:
            self.hash = safe_builtins.salted_hash(random.Random(seed).getrandbits(31))
        if self.session:
            self.session.hash = self.hash
        tools.offer(request["tools"])
        guard.use_notebook_rules(is_notebook)
        self.notebook = notebook.Notebook(request, _host, self.lines, self.given()) if is_notebook else None
        if self.notebook:
            self.libraries = self.notebook.libraries
        self.namespace = self.names()

    def names(self):
        """What the program finds when it starts."""
        if self.notebook:
            layer, names = (self.session.layer, self.session.names) if self.session else ({}, {})
            return self.notebook.namespace(self.hash, layer, names)
        found = {"__name__": "__main__", **self.given(), "ToolError": tools.ToolError}
        for tool in self.request["tools"]:
            found[tool["identifier"]] = tools.make(tool, tools.asking(_host))
        found |= tools.groups(self.request["tools"], found)
        if self.session:
            return self.layered(found)
        if self.request["guard"]:
            restricted.disarm()
            found["__builtins__"] = {**safe_builtins.TABLE, "hash": self.hash}
        else:
            builtins.hash = self.hash
            found["__builtins__"] = builtins
        return found

    def layered(self, found):
        """The names of the session, above what is found by every program."""
        del found["__name__"]
        if self.request["guard"]:
            restricted.disarm()
        table = safe_builtins.TABLE if self.request["guard"] else vars(builtins)
        self.session.layer.update({**table, "hash": self.hash, **found})
        return self.session.names

    def given(self):
        """The libraries, by the names that are there without an import."""
        return {name: one for name, one in self.libraries.items() if "." not in name and name != "__future__"}

    def execute(self):
        # The compiler prints warnings.
        sys.stdout, sys.stderr = self.streams
        code = self.compile()
        # A module of the program's own, so that nothing of ours is its `__main__`.
        sys.modules["__main__"] = types.ModuleType("__main__")
        if self.session:
            self.session.ran = True
        if self.notebook:
            return self.result(self.notebook.run(code, self.namespace))
        exec(code, self.namespace)
        if "__result__" not in self.namespace:
            hint = hints.for_missing_result(self.tree, self.namespace)
            raise _Ended("MissingResult", "the program did not assign __result__", hint=hint)
        if self.namespace["__result__"] is None:
            warning = hints.for_null_result(self.tree)
            self.warnings += [warning] if warning else []
        return self.result(self.namespace["__result__"])

    def result(self, value):
        value = self.value(value)
        self.finish()
        report = {"type": "result", "conversions": self.cleaner.notes, "warnings": self.warnings, "bytes": value[1]}
        return clean.write(report)[:-1] + ',"value":' + value[0] + "}"

    def compile(self):
        try:
            self.tree = ast.parse(self.source, guard.PROGRAM)
        except SyntaxError as error:
            raise self.syntax_error(error) from None
        except UnicodeEncodeError as error:
            raise self.unwritable(error) from None
        except ValueError as error:
            raise _Ended("SyntaxError", str(error), line=1, column=1) from None
        except MemoryError as error:
            # The parser's own stack says so with a text, memory that is used up without.
            if str(error):
                raise _Ended("RecursionError", "the program nests too deeply to be read") from None
            raise
        if self.notebook:
            try:
                return self.notebook.compile(self.tree, self.namespace.keys())
            except guard.Refused as refused:
                raise self.refused(refused) from None
            except SyntaxError as error:
                raise self.syntax_error(error) from None
        if self.request["guard"]:
            available = safe_builtins.TABLE.keys() | self.namespace.keys() | self.namespace["__builtins__"].keys()
            try:
                guard.check(
                    self.tree, available, self.libraries, self.request["imports"] == "ignore-allowed", self.warnings
                )
            except guard.Refused as refused:
                raise self.refused(refused) from None
        hints.keep_last(self.tree)
        try:
            return compile(self.tree, guard.PROGRAM, "exec")
        except SyntaxError as error:
            raise self.syntax_error(error) from None

    def refused(self, refused):
        column = self.column(refused.line, refused.offset)
        return self.ended_at(refused.type, refused.message, refused.line, column, refused.hint)

    def value(self, value):
        try:
            return clean.dump(self.cleaner.clean(value), self.cleaner.max_bytes)
        except clean.TooLarge as error:
            raise _Ended(
                "ResultTooLarge",
                f"__result__ is {error} (it was {clean.told(value)})",
                hint="assign a summary, or only the fields and rows that are needed",
            ) from None
        except clean.SameKeys as error:
            raise _Ended(
                "ValueError",
                f"__result__ cannot be written as JSON: {error}",
                hint="make the keys texts that differ, or assign a list of pairs: list(d.items())",
            ) from None

    def finish(self):
        for stream in self.streams:
            stream.finish()
        self.budget.finish(_host)
        if self.session:
            cancelled = self.notebook.calls.cancelled if self.notebook else 0
            session.end(self.session, self.signatures, cancelled, self.warnings)

    def failed(self, report):
        self.finish()
        return clean.write({
            "type": "error",
            "error": report,
            "conversions": self.cleaner.notes,
            "warnings": self.warnings,
        })

    def describe(self, error, late):
        """An exception of the program, as the host reports it. `late`: whether it was interrupted at its deadline."""
        line = self.raised_at(error)
        name = _name(type(error))
        if name == "" or (name in _OURS and type(error) is not guard.ForbiddenName):
            name = "Exception"
        report = {"type": name, "message": self.message(error)}
        if line is not None:
            report["line"] = line
            report["sourceLine"] = self.line(line)
        if late and isinstance(error, KeyboardInterrupt):
            seconds = self.request["limits"]["timeoutMs"] / 1000
            report["type"] = "Timeout"
            report["message"] = f"the program ran longer than {seconds:g} s"
            report["hint"] = "look for a loop that does not end, or do less in one program"
            return report
        if isinstance(error, MemoryError):
            return {**report, **_memory_report(self.request)}
        try:
            call = _dict(error).get("_call")
            if isinstance(error, tools.ToolError) and type(call) is int:
                report["call"] = call
            hint = hints.for_exception(error, self.namespace, self.signatures, self.libraries)
        except BaseException:
            hint = None
        if hint:
            report["hint"] = hint
        return report

    def message(self, error):
        try:
            text = str.__str__(str(error))
        except BaseException:
            # Whatever the program's own `__str__` raises.
            text = ""
        return text if len(text) <= MAX_MESSAGE else text[:MAX_MESSAGE] + "…"

    def raised_at(self, error):
        line = None
        trace = _traceback(error)
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == guard.PROGRAM:
                line = trace.tb_lineno
            trace = trace.tb_next
        return line

    def line(self, number):
        return self.lines[number - 1][:400] if 0 < number <= len(self.lines) else None

    def column(self, line, offset):
        """The guard counts bytes of UTF-8, the report characters from 1."""
        text = self.line(line)
        return None if text is None else len(text.encode("utf-8", "replace")[:offset].decode("utf-8", "ignore")) + 1

    def ended_at(self, type, message, line, column, hint):
        return _Ended(type, message, line=line, column=column, sourceLine=self.line(line), hint=hint)

    def unwritable(self, error):
        """Half a character: the engine reads a program as UTF-8, which cannot hold one."""
        for number, text in enumerate(self.lines, 1):
            found = _surrogate.search(text)
            if found:
                message = f"half a character (U+{ord(found[0]):04X}) cannot stand in a program"
                hint = f"write it as \\u{ord(found[0]):04x} in a text"
                return self.ended_at("SyntaxError", message, number, found.start() + 1, hint)
        return _Ended("SyntaxError", str(error), line=1, column=1)

    def syntax_error(self, error):
        line = error.lineno or 1
        hint = hints.for_syntax(error, self.line(line) or "")
        return self.ended_at(type(error).__name__, error.msg, line, max(error.offset or 1, 1), hint)
