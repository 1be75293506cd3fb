import { afterAll, expect, it } from "vitest";
import { createSandbox } from "../../src/node/index.ts";

// Without the guard a program sees the interpreter's modules.
const sandbox = createSandbox({ language: "python", guard: false, pool: { size: 0 }, limits: { timeoutMs: 900_000 } });
afterAll(() => sandbox[Symbol.asyncDispose]());

it("should have imported what the libraries import at their first use", async () => {
  const run = await sandbox.run(`
import sys
before = set(sys.modules)
def quietly(go, *args):
    try:
        return go(*args)
    except Exception:
        return None
from toolglot_guest import library, warm
for form in ("%Y-%m-%d", "%d %B %Y, %H:%M", "%A %j", "%c"):
    quietly(datetime.strptime, datetime.now().strftime(form), form)
warm._own_classes()
warm._by_name()
for codec in ("ascii", "latin-1", "utf-16", "utf-32", "cp1252", "gbk", "big5", "shift_jis", "idna", "punycode", "unicode_escape"):
    "a".encode(codec).decode(codec)
divmod(10**20000, 7**9000), "é".encode("ascii", "namereplace"), hash(1.5), f"{10**30:,}", t"{1}"
print(json.dumps({"a": [1.5]}, indent=2), json.loads("[1]"), re.sub("(a)", r"\\1", "a"), random.sample(range(9), 3))
statistics.quantiles([1, 2, 3]), statistics.NormalDist(0, 1).cdf(1), decimal.Decimal("1.1").sqrt(), fractions.Fraction("1/3")
calendar.month(2024, 1), difflib.HtmlDiff().make_table(["a"], ["b"]), textwrap.fill("a b"), pprint.pformat({"a": 1})
hashlib.sha3_256(b"a").hexdigest(), base64.b85encode(b"a"), uuid.uuid4(), csv.Sniffer().sniff("a,b"), unicodedata.normalize("NFC", "e")
__result__ = sorted(set(sys.modules) - before)`);
  expect(run.status === "ok" ? run.value : run.error).toEqual([]);
});

it("should take no longer for the first date than for the ones after it", async () => {
  // In steps of the interpreter rather than in time: what a machine under load is late by is in neither.
  const run = await sandbox.run(`
import sys
def steps(go):
    count = 0
    def trace(frame, event, arg):
        nonlocal count
        count += 1
        return trace
    sys.settrace(trace)
    go()
    sys.settrace(None)
    return count
dates = [("2024-01-15", "%Y-%m-%d"), ("2024-01-15T10:00:00", "%Y-%m-%dT%H:%M:%S"), ("15/01/2024", "%d/%m/%Y"), ("Jan 15, 2024", "%b %d, %Y")]
__result__ = [[steps(lambda: datetime.strptime(*date)) for _ in range(2)] for date in dates]`);
  expect(run.status === "ok" ? run.value : run.error).toHaveLength(4);
  for (const [first, second] of run.status === "ok" ? (run.value as [number, number][]) : []) {
    expect(second).toBeGreaterThan(10);
    expect(first).toBeLessThanOrEqual(10 * second);
  }
});
