"""Tool calls that are in flight together, and the event loop that waits for their answers.

No promise of JavaScript takes part: the loop's `select` waits for the host's next answer.
"""

import asyncio
import collections
import contextlib
import functools
import inspect
import sys
import time
import weakref

from . import clean, tools
from .guard import PROGRAM

MAX_IN_FLIGHT = 16
# A program that only ever yields to others would never see an answer.
_TURNS_PER_LOOK = 100
_MAX_LOST = 100
# Of what is left to do when a program ends; a task that goes on after so many is cancelled.
_LAST_TURNS = 1000


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
        # What may still hold an exception that nobody asks for, and exceptions that nobody can ask for any more.
        self._futures = weakref.WeakSet()
        self._lost = []
        self._answered = None
        self._made = 0
        self._flying = {}
        self._waiting = collections.deque()

    @property
    def in_flight(self):
        return len(self._flying)

    def watch(self, future):
        """A future, or a task, whose exception somebody has to take."""
        self._futures.add(future)
        return future

    def lose(self, error):
        if len(self._lost) < _MAX_LOST:
            self._lost.append(error)

    def unhandled(self):
        """At the program's end: an exception that nobody has waited for, or None."""
        failed = [future for future in self._futures if future.done() and not future.cancelled() and future._log_traceback]
        for future in failed:
            self.lose(future.exception())
        return self._lost[0] if self._lost else None

    async def settle(self, loop):
        """Until tasks that nobody waits for have the answers to their calls, and have nothing more to do with them at once."""
        turns = 0
        while self._flying or (loop._ready and turns < _LAST_TURNS):
            turns += 1
            if loop._ready:
                await asyncio.sleep(0)
            else:
                self._answered = loop.create_future()
                await self._answered

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
            head = f'{{"type":"call","id":{self._made},"tool":{ticket.index},"line":{ticket.line},'
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
        for future in (ticket.future, self._answered):
            if future is not None and not future.done():
                future.set_result(None)

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

    def create_task(self, coro, **options):
        return self._calls.watch(super().create_task(coro, **options))

    def create_future(self):
        return self._calls.watch(super().create_future())

    def run_until_complete(self, future):
        """Also at the top of a program that awaits, where the loop runs already."""
        if not self.is_running():
            return super().run_until_complete(future if asyncio.isfuture(future) else awaitable(future))
        future = asyncio.ensure_future(future if asyncio.isfuture(future) else awaitable(future), loop=self)
        with _aside("this event loop is already running"):
            # The turn that is under way takes as many more as there were when it began.
            owed = len(self._ready)
            asyncio._set_running_loop(self)
            while not future.done():
                self._run_once()
            for _ in range(owed - len(self._ready)):
                self.call_soon(int)
        return future.result()

    def call_exception_handler(self, context):
        """What nobody can wait for: of a callback, or of a task that is gone."""
        error = context.get("exception")
        if error is not None:
            self._calls.lose(error)


def _at_top_of(frame):
    """Whether the program's own top is what runs, outside of every coroutine and callback of it."""
    while frame is not None:
        code = frame.f_code
        if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            return code.co_filename == PROGRAM and code.co_name in _TOPS
        frame = frame.f_back
    return False


# A program that awaits is one coroutine, as a module or as a function.
_TOPS = ("<module>", "__toolglot_program__")


@contextlib.contextmanager
def _aside(refusal):
    """While another loop, or another task of the same one, runs in place of the program's top."""
    loop = asyncio._get_running_loop()
    if loop is not None and not _at_top_of(sys._getframe(2)):
        raise RuntimeError(refusal)
    task = loop and asyncio.tasks._swap_current_task(loop, None)
    asyncio._set_running_loop(None)
    try:
        yield loop
    finally:
        asyncio._set_running_loop(loop)
        if loop is not None:
            asyncio.tasks._swap_current_task(loop, task)


_calls = None
# How a tool's call is started without waiting for it, by the tool's function: a session keeps those of earlier programs.
_starts = weakref.WeakKeyDictionary()


def watch(future):
    """What holds an exception that somebody has to take."""
    _calls.watch(future)


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
    """What the rewritten calls in `await f(…)` and `gather(f(…))` call in place of the function, or of a `functools.partial` of it."""
    try:
        found = _starts.get(function)
    except TypeError:
        return function
    if found is not None:
        return found
    if isinstance(function, functools.partial) and (inner := starting(function.func)) is not function.func:
        return functools.partial(inner, *function.args, **function.keywords)
    return function


async def _ready(value):
    return value


def awaitable(value):
    """What `await` gets: a tool's value that is there already is given at once."""
    return value if hasattr(type(value), "__await__") or asyncio.iscoroutine(value) or asyncio.isfuture(value) else _ready(value)


async def to_thread(func, /, *args, **kwargs):
    """asyncio.to_thread: a tool's call is in flight beside others, anything else is done at once."""
    start = starting(func)
    found = start(*args, **kwargs)
    return found if start is func else await found


def run(main, *, debug=None, loop_factory=None):
    """asyncio.run, on a loop of our own."""
    with _aside("asyncio.run() cannot be called from a running event loop") as outer:
        loop = Loop(_calls)
        try:
            asyncio.set_event_loop(loop)
            value = loop.run_until_complete(main)
            loop.run_until_complete(_calls.settle(loop))
            return value
        finally:
            try:
                tasks = asyncio.all_tasks(loop)
                _calls.cancelled += len(tasks)
                for task in tasks:
                    task.cancel()
                if tasks:
                    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
                for task in tasks:
                    if not task.cancelled() and task.exception() is not None:
                        _calls.lose(task.exception())
                loop.run_until_complete(loop.shutdown_asyncgens())
            finally:
                asyncio.set_event_loop(outer)
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
