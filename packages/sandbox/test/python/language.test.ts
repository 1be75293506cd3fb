import { leftToCi } from "@toolglot/internal/testing";
import { afterAll, expect, it } from "vitest";
import { SharedInterpreter } from "./shared-interpreter.ts";

const sandbox = new SharedInterpreter();
afterAll(() => sandbox[Symbol.asyncDispose]());

async function value(code: string, imports: "refuse" | "ignore-allowed" = "refuse"): Promise<unknown> {
  const run = await sandbox.run(code, { imports });
  return run.status === "ok" ? run.value : run.error;
}

it("should answer to datetime as class and as module", async () => {
  const code = `
a = datetime.now()
b = datetime.datetime.now()
c = datetime(2024, 1, 31, 12, 30)
d = datetime.datetime(2024, 1, 31)
__result__ = [
    isinstance(a, datetime), isinstance(b, datetime.datetime), isinstance(c, datetime.date), type(c) is datetime,
    abs((b - a).total_seconds()) < 60, str(c.date()), str(c.time()), str(datetime.date(2024, 2, 1) - d.date()),
    str(c + datetime.timedelta(days=1)), type(c + datetime.timedelta(1)) is type(c), str(datetime.date.today() - a.date()),
    datetime.strptime("2024-03-05 07:08", "%Y-%m-%d %H:%M").isoformat(), datetime.timezone.utc.utcoffset(None).seconds,
    str(datetime.time(9, 5)), repr(c), datetime.now(datetime.timezone.utc).tzinfo is not None, datetime.MAXYEAR,
    datetime.fromtimestamp(0, datetime.timezone.utc).isoformat(), str(datetime.max), c > d, c.strftime("%d %B %Y"),
    isinstance(datetime.date(2024, 1, 1), datetime), datetime.combine(d, datetime.time(1)).hour, c.replace(day=1).day,
]`;
  expect(await value(code)).toEqual([
    ...[true, true, true, true, true, "2024-01-31", "12:30:00", "1 day, 0:00:00"],
    ...["2024-02-01 12:30:00", true, "0:00:00", "2024-03-05T07:08:00", 0, "09:05:00"],
    ...["datetime.datetime(2024, 1, 31, 12, 30)", true, 9999, "1970-01-01T00:00:00+00:00"],
    ...["9999-12-31 23:59:59.999999", true, "31 January 2024", false, 1, 1],
  ]);
});

it("should parse the dates that it promises and no others", async () => {
  const code = `
def parse(text):
    try:
        return datetime.parse(text).isoformat()
    except (ValueError, TypeError) as error:
        return type(error).__name__
__result__ = {str(t): parse(t) for t in [
    "2024-03-05", "2024-03-05T07:08:09", "2024-03-05T07:08:09Z", "2024-03-05T07:08:09.5+02:00", "20240305T070809",
    "2024-03-05 07:08", "2024-03-05 07:08:09", "2024/03/05", "05 Mar 2024", "Mar 05, 2024", " 2024-03-05 ", "Mar 5, 2024",
    "tomorrow", "", "05/03/2024", "2024-13-01", "March 5", 7]}`;
  expect(await value(code)).toEqual({
    "2024-03-05": "2024-03-05T00:00:00",
    "2024-03-05T07:08:09": "2024-03-05T07:08:09",
    "2024-03-05T07:08:09Z": "2024-03-05T07:08:09+00:00",
    "2024-03-05T07:08:09.5+02:00": "2024-03-05T07:08:09.500000+02:00",
    "20240305T070809": "2024-03-05T07:08:09",
    "2024-03-05 07:08": "2024-03-05T07:08:00",
    "2024-03-05 07:08:09": "2024-03-05T07:08:09",
    "2024/03/05": "2024-03-05T00:00:00",
    "05 Mar 2024": "2024-03-05T00:00:00",
    "Mar 05, 2024": "2024-03-05T00:00:00",
    " 2024-03-05 ": "2024-03-05T00:00:00",
    "Mar 5, 2024": "2024-03-05T00:00:00",
    tomorrow: "ValueError",
    "": "ValueError",
    "05/03/2024": "ValueError",
    "2024-13-01": "ValueError",
    "March 5": "ValueError",
    "7": "TypeError",
  });
});

it("should bind what an import of allowed libraries asks for, with a warning, when told to ignore them", async () => {
  const code = `import math, json as j
from datetime import datetime, timedelta as td, timezone
from datetime import date
from random import *
def f():
    from statistics import mean
    import re
    return mean([1, 3]) + len(re.findall("a", "aa"))
if True: import datetime as dt
__result__ = [math.pi > 3, j.dumps([1]), str(datetime(2024, 1, 1) + td(days=1)), f(), choice([5]), dt.date(2024, 1, 1) == date(2024, 1, 1), timezone.utc is datetime.timezone.utc]`;
  const run = await sandbox.run(code, { imports: "ignore-allowed" });
  expect(run).toMatchObject({ status: "ok", value: [true, "[1]", "2024-01-02 00:00:00", 4, 5, true, true] });
  expect(run.stats.warnings).toHaveLength(7);
  expect(run.stats.warnings[0]).toBe("line 1: import of math, json ignored, it is already there");
});

it.each([
  "import os",
  "import math, os",
  "from os import path",
  "from . import x",
  "import math.x",
  "from math import __loader__",
])("should refuse %s also when told to ignore allowed ones", async (code) => {
  expect(await value(`${code}\n__result__ = 1`, "ignore-allowed")).toMatchObject({ type: "ImportForbidden", line: 1 });
});

it("should let programs use the names that the guard watches for things of their own", async () => {
  const code = `
def compile(x):
    return x + 1
input = "text"
dir = "/tmp"
vars = [1]
class Template:
    def format(self, x):
        return f"own {x}"
    @property
    def f_name(self):
        return "f"
class Level(str):
    def shout(self):
        return super().format(1).upper()
t = Template()
__result__ = [compile(1), input, dir, vars, t.format(2), t.f_name, Level("n{}").shout(), "{:>3}".format(1), getattr("{}!", "format")(1),
    list(map("{}-{}".format, [1, 2], "ab")), list(map(str.format, ["{}"], [3])), "{x}".format_map({"x": 4}), type("").__name__, (1).__class__ is int,
    type(3) is int, type(int) is type, isinstance(int, type), t.__class__.__name__, type(t) == Template, hasattr(t, "nope"), getattr(t, "nope", 5)]`;
  expect(await value(code)).toEqual([
    ...[2, "text", "/tmp", [1], "own 2", "f", "N1", "  1", "1!"],
    ...[["1-a", "2-b"], ["3"], "4", "str", true, true, true, true, "Template", true, false, 5],
  ]);
});

it("should keep libraries to their public names and refuse to change them", async () => {
  const code = `
def attempt(f):
    try:
        return f()
    except Exception as error:
        return type(error).__name__
def change():
    math.pi = 3
def remove():
    del math.pi
__result__ = [attempt(lambda: random._inst), attempt(lambda: json.codecs), attempt(lambda: re._compiler), attempt(lambda: json.load),
    attempt(lambda: statistics.sys), attempt(lambda: random.SystemRandom), attempt(change), attempt(remove), math.pi > 3.1, repr(math)]`;
  expect(await value(code)).toEqual([...Array.from({ length: 8 }, () => "AttributeError"), true, "<library 'math'>"]);
});

it("should give hash its usual properties", async () => {
  const code = `
class K:
    def __init__(self, n): self.n = n
    def __hash__(self): return hash((self.n, "k"))
    def __eq__(self, o): return self.n == o.n
__result__ = [hash(1) == hash(1.0) == hash(True), hash("a") == hash("a"), hash((1, "a")) == hash((1, "a")), {K(1): 5}[K(1)], hash(K(1)) == hash(K(1)), isinstance(hash("a"), int)]`;
  expect(await value(code)).toEqual([true, true, true, 5, true, true]);
});

it("should let the engine import what it needs for itself", async () => {
  const code = `
class Stack[T]:
    def __init__(self):
        self.items: list[T] = []
def first[T](xs: list[T]) -> T:
    return xs[0]
type Names = list[str]
s = Stack[int]()
s.items.append(5)
x = 10**20000 // 7**9000
__result__ = [re.compile("(a)").sub(r"\\1\\1", "abc"), re.match("(a)", "a").expand(r"\\1!"), x % 1000, first(s.items),
    "é".encode("ascii", "namereplace").decode(), type(s).__name__, datetime.strptime("Mar 2024", "%b %Y").month]`;
  const big = String((10n ** 20000n / 7n ** 9000n) % 1000n);
  expect(await value(code)).toEqual(["aabc", "a!", Number(big), 5, "\\N{LATIN SMALL LETTER E WITH ACUTE}", "Stack", 3]);
});

it("should show types of the engine by name, and make nothing with them", async () => {
  const code = `
def f(): pass
def attempt(go):
    try:
        return str(go())
    except Exception as error:
        return type(error).__name__
kinds = [type(x) for x in (f, print, (n for n in ()), math, type, datetime, re.A, list[int], ToolError)]
__result__ = [[k.__name__ for k in kinds], isinstance(f, type(f)), isinstance(1, type(f)), type(f) is type(attempt), type(type(f)) is type,
    issubclass(type(f), object), type(f) in (type(f), int), str(type(f)), attempt(lambda: type(f)(1, {})), attempt(lambda: type(datetime)("T", (), {})),
    type(re.A) is re.RegexFlag, type(1)("7"), type([])("ab"), type(ToolError("x"))("y").args[0], type(None)() is None]`;
  expect(await value(code)).toEqual([
    ["function", "builtin_function_or_method", "generator", "Library", "type", "_DatetimeType", "RegexFlag"].concat([
      ...["GenericAlias", "type"],
    ]),
    ...[true, false, true, true, true, true, "<class 'function'>", "ForbiddenName", "ForbiddenName"],
    ...[true, 7, ["a", "b"], "y", true],
  ]);
});

it.each([
  ["a function of the library's own name", "from random import random", "0 <= random() < 1"],
  ["a name of its own", "from random import random as r, randint", "0 <= r() < 1 and randint(2, 2) == 2"],
  [
    "a library under its own name after a function of it",
    "from random import random\nimport random",
    "random.randint(1, 1) == 1",
  ],
  ["a library under another name", "import math as m, json as j", "m.floor(2.5) == 2 and j.dumps(1) == '1'"],
  [
    "a module within a library",
    "import collections.abc",
    "isinstance([], collections.abc.Sequence) and collections.Counter",
  ],
  ["a module within a library, by another name", "import collections.abc as c", "isinstance([], c.Sequence)"],
  ["names of a module within", "from collections.abc import Mapping as M", "isinstance({}, M)"],
  ["a module as a name of its library", "from collections import abc", "isinstance((), abc.Sequence)"],
  ["all of a library", "from math import *", "sqrt(4) == floor(2.9)"],
  [
    "classes of datetime",
    "from datetime import datetime as dt, date, time",
    "dt(2024, 1, 1).date() == date(2024, 1, 1) and time(1).hour == 1",
  ],
  [
    "a feature of the language",
    "from __future__ import annotations",
    "(lambda f: f(1))(f)",
    "def f(x: nope): return x",
  ],
  ["in a function", "def f():\n    from json import dumps\n    return dumps\n", "f()(1) == '1'"],
  ["for all functions", "def f():\n    global floor\n    from math import floor\nf()", "floor(1.5) == 1"],
  [
    "in a class",
    "class C:\n    from math import floor\n    import json as j",
    "C.floor(1.5) == 1 and C.j.dumps(1) == '1'",
  ],
])("should bind what Python binds: %s", async (_, imports, expression, more = "") => {
  expect(await value(`${imports}\n${more}\n__result__ = bool(${expression})`, "ignore-allowed")).toBe(true);
});

it("should raise what Python raises for a name that a library has not, with the nearest one", async () => {
  const code = `
out = []
for go in (lambda: a(), lambda: b(), lambda: c()):
    try:
        go()
    except ImportError as error:
        out.append([type(error).__name__, error.name, str(error)])
__result__ = out`;
  const functions = `
def a():
    from json import nope
def b():
    from json import dumps, load as l
def c():
    from datetime import now`;
  expect(await value(functions + code, "ignore-allowed")).toEqual([
    ["ImportError", "json", "cannot import name 'nope' from 'json'"],
    ["ImportError", "json", "cannot import name 'load' from 'json'. Did you mean: 'loads'?"],
    ["ImportError", "datetime", "cannot import name 'now' from 'datetime'"],
  ]);
});

it.each([
  ["def f():\n    from math import *", "import * only allowed at module level"],
  ["x = 1\nfrom __future__ import annotations", "beginning"],
  ["from __future__ import nope", "nope"],
])("should refuse what Python refuses: %s", async (code, message) => {
  const error = { type: "SyntaxError", message: expect.stringContaining(message) };
  expect(await value(code, "ignore-allowed")).toMatchObject(error);
});

it("should let plain classes define and read what plain classes do", async () => {
  const code = `
class Lazy:
    def __init__(self): object.__setattr__(self, "seen", [])
    def __getattr__(self, name): return f"no {name}"
    def __setattr__(self, name, value):
        self.seen.append(name)
        super().__setattr__(name, value)
    def __delattr__(self, name): super().__delattr__(name)
    def __getattribute__(self, name): return super().__getattribute__(name)
    def __dir__(self): return ["a"]
    def __copy__(self): return "copied"
class Field:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, one, owner=None): return self if one is None else getattr(one, self.name, "unset")
    def __set__(self, one, value): setattr(one, self.name, value * 2)
    def __delete__(self, one): delattr(one, self.name)
class Base:
    kinds = []
    field = Field()
    def __init_subclass__(cls, /, kind="plain", **more):
        super().__init_subclass__(**more)
        cls.kinds.append(kind)
    def __class_getitem__(cls, item): return f"{cls.__name__} of {item}"
class Sub(Base, kind="sub"):
    "A doc."
class Default(dict):
    def __missing__(self, key): return f"no {key}"
lazy = Lazy(); lazy.x = 1; del lazy.x
sub = Sub(); before = sub.field; sub.field = 2
try:
    try:
        raise KeyError("first")
    except KeyError as error:
        error.add_note("a note")
        raise ValueError("second") from error
except ValueError as error:
    chain = [repr(error.__cause__), repr(error.__context__), error.__cause__.__notes__, error.__suppress_context__]
__result__ = [lazy.y, lazy.seen, lazy.x, copy.copy(lazy), before, sub.field, Base.kinds, Sub["x"], Sub.__doc__, Sub.__name__, Default()["k"], chain]`;
  expect(await value(code)).toEqual([
    ...["no y", ["x"], "no x", "copied", "unset", 4, ["sub"], "Sub of x", "A doc.", "Sub", "no k"],
    ["KeyError('first')", "KeyError('first')", ["a note"], true],
  ]);
});

it("should have the libraries that plain programs import, with their usual members", async () => {
  const code = `
import typing, collections, itertools, functools, operator, string, textwrap, decimal, fractions, heapq, bisect, copy, dataclasses
import enum, abc, contextlib, base64, hashlib, uuid, csv, io, calendar, difflib, pprint, unicodedata
from dataclasses import dataclass, field
from functools import lru_cache, reduce, partial, wraps, cached_property, singledispatch, total_ordering
from contextlib import contextmanager, suppress, redirect_stdout
@dataclass(order=True, frozen=True, slots=True)
class Item:
    price: float
    name: str = field(default="x", compare=False)
    def __post_init__(self): object.__setattr__(self, "price", self.price + 1)
@functools.lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def loud(f):
    "Outer."
    @wraps(f)
    def inner(*args): return f(*args) + "!"
    return inner
@loud
def hello(name):
    "Inner."
    return name
@singledispatch
def kind(x): return "any"
@kind.register
def _(x: int): return "int"
@total_ordering
class V:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...
    @cached_property
    def twice(self): return 2 * self.area()
class Square(Shape):
    def area(self): return 4
class Meta(metaclass=abc.ABCMeta):
    @property
    @abc.abstractmethod
    def x(self): ...
class Color(enum.IntFlag):
    R = enum.auto()
    G = enum.auto()
@contextmanager
def step():
    yield 5
buffer = io.StringIO()
csv.writer(buffer).writerow([1, "a,b"])
with redirect_stdout(io.StringIO()) as out, step() as five, suppress(KeyError):
    print("in")
    {}["x"]
pprint.pprint({"b": [1], "a": 2})
def refused(go):
    try:
        go()
    except TypeError:
        return True
__result__ = [
    sorted([Item(2), Item(1)])[0].price, fib(50), hello("a"), hello.__name__, hello.__doc__, kind(1), kind("a"), V(1) <= V(2), Square().twice,
    refused(Shape), refused(Meta), int(Color.R | Color.G), five, out.getvalue(), buffer.getvalue(), list(csv.DictReader(io.StringIO("a,b\\n1,2"))),
    functools.reduce(operator.mul, [1, 2, 3]), partial(pow, 2)(5), operator.attrgetter("n")(V(3)), operator.methodcaller("upper")("a"),
    [k for k, _ in itertools.groupby("aab")], str(decimal.Decimal("0.1") + decimal.Decimal("0.2")), str(fractions.Fraction(1, 3) + 1), heapq.nsmallest(1, [2, 1]),
    bisect.bisect([1, 3], 2), copy.deepcopy({"a": [1]}), string.capwords("a b"), string.Template("$x").substitute(x=1), string.Formatter().format("{0!r:>4}", 1),
    textwrap.shorten("a b c d", 6), base64.b64decode("eA==").decode(), hashlib.sha256(b"a").hexdigest()[:6], str(uuid.uuid5(uuid.NAMESPACE_DNS, "a"))[:6],
    calendar.monthrange(2024, 2)[1], difflib.ndiff(["a"], ["b"]), unicodedata.category("a"), collections.namedtuple("P", "x y")(1, 2)._asdict(), typing.get_args(typing.List[int])[0] is int,
    dataclasses.asdict(Item(1)), dataclasses.replace(Item(1), price=5).price,
]`;
  expect(await value(code, "ignore-allowed")).toEqual([
    ...[
      2,
      12586269025,
      "a!",
      "hello",
      "Inner.",
      "int",
      "any",
      true,
      8,
      true,
      true,
      3,
      5,
      "in\n",
      '1,"a,b"\r\n',
      [{ a: "1", b: "2" }],
    ],
    ...[
      6,
      32,
      3,
      "A",
      ["a", "b"],
      "0.3",
      "4/3",
      [1],
      1,
      { a: [1] },
      "A B",
      "1",
      "   1",
      "[...]",
      "x",
      "ca9781",
      "4f3f28",
      29,
    ],
    ...[["- a", "+ b"], "Ll", { x: 1, y: 2 }, true, { price: 2, name: "x" }, 6],
  ]);
});

it("should draw identifiers from the run's seed", async () => {
  const draw = "__result__ = [str(uuid.uuid4()), uuid.uuid4() == uuid.uuid4(), str(uuid.uuid8())]";
  const [one, same, other] = [await sandbox.run(draw), await sandbox.run(draw), await sandbox.run(draw, { seed: "2" })];
  expect(same).toMatchObject({ status: "ok", value: one.status === "ok" && one.value });
  expect(other).not.toMatchObject({ value: one.status === "ok" && one.value });
  expect(one).toMatchObject({
    value: [expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/), false, expect.any(String)],
  });
});

it("should have the libraries that the host names, and no others", async (context) => {
  leftToCi(context);
  const code = "__result__ = [math.floor(1.5)]\ncollections.Counter()";
  const missing = {
    type: "NameError",
    hint: "collections is not available; without any import there are math, json, datetime, re, random, statistics, and the tools",
  };
  await using specified = new SharedInterpreter({ libraries: "specification", imports: "ignore-allowed" });
  expect(await specified.run(code)).toMatchObject({ error: missing });
  expect(await specified.run("import collections")).toMatchObject({ error: { type: "ImportForbidden" } });
  await using some = new SharedInterpreter({ libraries: ["math", "collections"], imports: "ignore-allowed" });
  const both = await some.run("from collections.abc import Sized\nimport math\n__result__ = isinstance([], Sized)");
  expect(both).toMatchObject({ status: "ok", value: true });
  expect(await some.run("json.dumps(1)")).toMatchObject({
    error: { hint: "json is not available; without any import there are math, collections, and the tools" },
  });
});
