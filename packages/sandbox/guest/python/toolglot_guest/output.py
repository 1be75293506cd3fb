"""Where print() goes: lines to the host; of more than the limit the first and the last."""

import collections
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
        _states[id(self)].write(str.__str__(text))
        return len(text)

    def flush(self):
        """Nothing is held back but the start of an unfinished line."""

    def finish(self):
        state = _states[id(self)]
        if state.parts:
            state.line()


class Budget:
    """What all streams of a run may print together, in bytes of UTF-8: of more than that the first two fifths, and of the rest the end.
    Programs print their answer last."""

    def __init__(self, limit):
        self.left = limit * 2 // 5
        self.limit = limit
        self.room = limit - self.left
        self.tail = None
        self.size = 0
        self.lost = 0
        self.lines = 0

    def send(self, stream, text, host):
        raw = text.encode("utf-8", "backslashreplace")
        size = len(raw) + 1
        if self.tail is None and size <= self.left:
            self.left -= size
            return _say(stream, raw, host)
        if self.tail is None:
            self.tail = collections.deque()
            self.room = self.limit - (self.limit * 2 // 5 - self.left)
            # A line that is longer than all that is left has its beginning in the head.
            if size > self.room and self.left > 0:
                _say(stream, raw[: self.left], host)
                self.room -= self.left + 1
                raw = raw[self.left :]
        self.tail.append((stream, raw))
        self.size += len(raw) + 1
        while self.size > self.room:
            self.drop()

    def drop(self):
        """Lets go of the first line of the tail, or of the beginning of the only one."""
        stream, raw = self.tail.popleft()
        gone = len(raw) + 1
        if self.tail:
            self.lines += 1
        else:
            gone = min(gone, self.size - self.room)
            self.tail.append((stream, raw[gone:]))
        self.lost += gone
        self.size -= gone

    def finish(self, host):
        tail, self.tail = self.tail or (), ()
        if self.lost:
            mark = f"[{self.lost} bytes of output are left out here, {self.lines} whole lines]"
            host(f'{{"type":"log","stream":"{tail[0][0]}","text":{write(mark)},"cut":{self.lost}}}')
        for stream, raw in tail:
            _say(stream, raw, host)
        self.tail = None


def _say(stream, raw, host):
    host(f'{{"type":"log","stream":"{stream}","text":{write(raw.decode("utf-8", "ignore"))}}}')
