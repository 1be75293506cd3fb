"""Tool calls that are in flight together, and the event loop that waits for their answers.

No promise of JavaScript takes part: the loop's `select` waits for the host's next answer.
"""

import asyncio
import collections
import sys
import time
import weakref

from . import clean, tools

MAX_IN_FLIGHT = 16
# A program that only ever yields to others would never see an answer.
_TURNS_PER_LOOK = 100


class Ticket:
    """A call, and its answer when there is one."""

    __slots__ = ("index", "line", "text", "answer", "future")

    def __init__(self, index, line, text):
        self.index = index
        self.line = line
        self.text = text
        self.answer = None
        self.future = None


class Calls:
    """All calls of one program. `standing`: the clock stands still, and nothing may depend on how long an answer takes."""

    def __init__(self, host, standing):
        self._host = host
        self.standing = standing
        # Tasks that were still running when their loop ended.
        self.cancelled = 0
        self._made = 0
        self._flying = {}
        self._waiting = collections.deque()

    @property
    def in_flight(self):
        return len(self._flying)

    def start(self, index, text):
        """Starts a call, as soon as fewer than 16 others are in flight."""
        ticket = Ticket(index, tools.guest_line() or 0, text)
        self._waiting.append(ticket)
        self._send()
        return ticket

    def _send(self):
        while self._waiting and len(self._flying) < MAX_IN_FLIGHT:
            ticket = self._waiting.popleft()
            self._flying[self._made] = ticket
            head = f'{{"type":"call","id":{self._made},"tool":{ticket.index},"line":{ticket.line},"args":'
            self._made += 1
            self._host(f"{head}{ticket.text}}}")

    def take(self, seconds=None):
        """Waits for the next answer, at most so long."""
        wake = "" if seconds is None or self.standing else f',"ms":{max(0, round(seconds * 1000))}'
        answer = clean.read(self._host(f'{{"type":"wait"{wake}}}'))
        if answer["type"] == "wake":
            return
        ticket = self._flying.pop(answer["id"])
        ticket.answer = answer
        self._send()
        if ticket.future is not None and not ticket.future.done():
            ticket.future.set_result(None)

    def ask(self, index, text):
        """The answer to a call that the program waits for on the spot."""
        ticket = self.start(index, text)
        while ticket.answer is None:
            self.take()
        return ticket.answer


class _Selector:
    def __init__(self, loop, calls):
        self._loop = loop
        self._calls = calls
        self._turns = 0

    def select(self, timeout=None):
        calls = self._calls
        if timeout is not None and timeout <= 0:
            self._turns += 1
            if self._turns >= _TURNS_PER_LOOK and calls.in_flight:
                self._turns = 0
                calls.take(0)
            return []
        self._turns = 0
        if calls.in_flight:
            calls.take(timeout)
        elif timeout is None:
            raise RuntimeError("every task waits for another one: nothing can happen any more")
        elif calls.standing:
            self._loop.skip(timeout)
        else:
            time.sleep(timeout)
        return []


class Loop(asyncio.BaseEventLoop):
    """An event loop for one program."""

    def __init__(self, calls):
        super().__init__()
        self._selector = _Selector(self, calls)
        self._calls = calls
        self._skipped = 0.0

    def time(self):
        return self._skipped if self._calls.standing else time.monotonic()

    def skip(self, seconds):
        self._skipped += seconds

    def _process_events(self, event_list):
        pass

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, func, *args):
        """There are no threads: it is done at once."""
        return self.create_task(to_thread(func, *args))

    def call_exception_handler(self, context):
        error = context.get("exception")
        print(context.get("message", "") + (f": {error!r}" if error is not None else ""), file=sys.stderr)


_calls = None
# How a tool's call is started without waiting for it, by the tool's function: a session keeps those of earlier programs.
_starts = weakref.WeakKeyDictionary()


def attach(calls):
    """Called once a program."""
    global _calls
    _calls = calls


async def _value(ticket):
    if ticket.answer is None:
        ticket.future = asyncio.get_running_loop().create_future()
        await ticket.future
    return tools.value_of(ticket.answer)


def make(tool):
    """The function of one tool: it waits for its value; awaited, it lets others go on meanwhile."""
    name = tool["identifier"]

    def start(*args, **kwargs):
        coroutine = _value(_calls.start(*tools.encode(name, args, kwargs)))
        coroutine.__name__ = coroutine.__qualname__ = name
        return coroutine

    call = tools.make(tool, lambda index, text: _calls.ask(index, text))
    _starts[call] = start
    return call


def starting(function):
    """What the rewritten calls in `await f(…)` and `gather(f(…))` call in place of the function."""
    try:
        return _starts.get(function, function)
    except TypeError:
        return function


async def _ready(value):
    return value


def awaitable(value):
    """What `await` gets: a tool's value that is there already is given at once."""
    return value if hasattr(type(value), "__await__") or asyncio.iscoroutine(value) or asyncio.isfuture(value) else _ready(value)


async def to_thread(func, /, *args, **kwargs):
    """asyncio.to_thread: a tool's call is in flight beside others, anything else is done at once."""
    found = starting(func)(*args, **kwargs)
    return await found if found is not None and func in _starts else found


def run(main, *, debug=None, loop_factory=None):
    """asyncio.run, on a loop of our own."""
    if asyncio._get_running_loop() is not None:
        raise RuntimeError("asyncio.run() cannot be called from a running event loop")
    loop = Loop(_calls)
    try:
        asyncio.set_event_loop(loop)
        return loop.run_until_complete(main if asyncio.isfuture(main) else awaitable(main))
    finally:
        try:
            tasks = asyncio.all_tasks(loop)
            _calls.cancelled += len(tasks)
            for task in tasks:
                task.cancel()
            if tasks:
                loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            asyncio.set_event_loop(None)
            loop.close()


def new_event_loop():
    """asyncio.new_event_loop"""
    return Loop(_calls)


def get_event_loop():
    """asyncio.get_event_loop; makes one where there is none."""
    running = asyncio._get_running_loop()
    if running is not None:
        return running
    loop = Loop(_calls)
    asyncio.set_event_loop(loop)
    return loop


for _function in (run, new_event_loop, get_event_loop, to_thread):
    _function.__module__ = "asyncio"
INSTEAD = {function.__name__: function for function in (run, new_event_loop, get_event_loop, to_thread)}


def install():
    """Called at the start of a program: also for those that get the library itself."""
    for name, function in INSTEAD.items():
        setattr(asyncio, name, function)
    # The engine's own loop, which waits for promises.
    asyncio._set_running_loop(None)
