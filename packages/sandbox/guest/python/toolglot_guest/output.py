"""Where print() goes: lines to the host, up to a limit."""

import io

from .clean import write

MAX_LINE = 64 * 1024


class _State:
    """What a stream has and its user must not: a program reaches `sys.stdout` through what prints to it."""

    def __init__(self, stream, budget, host):
        self.stream = stream
        self.budget = budget
        self.host = host
        self.parts = []
        self.held = 0

    def line(self):
        text = "".join(self.parts)
        self.parts.clear()
        self.held = 0
        self.budget.send(self.stream, text, self.host)

    def write(self, text):
        *lines, rest = text.split("\n")
        for line in lines:
            self.parts.append(line)
            self.line()
            if self.budget.spent_all:
                return
        if rest:
            self.parts.append(rest)
            self.held += len(rest)
            if self.held > MAX_LINE:
                self.line()


_states = {}


class Output(io.TextIOBase):
    """A text stream that sends each whole line to the host."""

    def __init__(self, stream, budget, host):
        _states[id(self)] = _State(stream, budget, host)

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        state = _states[id(self)]
        if not state.budget.spent_all:
            state.write(str.__str__(text))
        return len(text)

    def flush(self):
        """Nothing is held back but the start of an unfinished line."""

    def finish(self):
        state = _states[id(self)]
        if state.parts:
            state.line()


class Budget:
    """What all streams of a run may print together, in bytes of UTF-8."""

    def __init__(self, limit):
        self.limit = limit
        self.used = 0
        self.spent_all = False

    def send(self, stream, text, host):
        raw = text.encode("utf-8", "backslashreplace")
        left = self.limit - self.used
        if len(raw) + 1 > left:
            self.spent_all = True
            raw = raw[:left]
        self.used += len(raw) + 1
        text = raw.decode("utf-8", "ignore")
        if text or not self.spent_all:
            host(f'{{"type":"log","stream":"{stream}","text":{write(text)}}}')
        if self.spent_all:
            mark = f"[output cut at {self.limit} bytes]"
            host(f'{{"type":"log","stream":"{stream}","text":{write(mark)},"cut":true}}')
