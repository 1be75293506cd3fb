"""Where print() goes: lines to the host, up to a limit."""

import io

from .clean import write

MAX_LINE = 64 * 1024


class Output(io.TextIOBase):
    """A text stream that sends each whole line to the host."""

    def __init__(self, stream, budget, host):
        self._stream = stream
        self._budget = budget
        self._host = host
        self._parts = []
        self._held = 0

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        size = len(text)
        if self._budget.spent_all:
            return size
        *lines, rest = str.__str__(text).split("\n")
        for line in lines:
            self._parts.append(line)
            self._line()
            if self._budget.spent_all:
                return size
        if rest:
            self._parts.append(rest)
            self._held += len(rest)
            if self._held > MAX_LINE:
                self._line()
        return size

    def flush(self):
        """Nothing is held back but the start of an unfinished line."""

    def finish(self):
        if self._parts:
            self._line()

    def _line(self):
        text = "".join(self._parts)
        self._parts.clear()
        self._held = 0
        self._budget.send(self._stream, text, self._host)


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
