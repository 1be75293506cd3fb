import { afterAll, expect, it } from "vitest";
import { createSandbox } from "../../src/node/index.ts";

const sandbox = createSandbox({ language: "python" });
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
