import { angles, cut, plain } from "../bodies.ts";
import { measure, quick } from "../measure.ts";
import { atLeast, atMost, type Bar, type Findings, ms, type Run } from "../report.ts";
import { measureGuard } from "./guard.ts";
import { type Runner, runners, throughMiddleware, throughParser } from "./runs.ts";

const chunkLength = 8;
const [smallSize, largeSize] = quick ? [2000, 8000] : [50_000, 200_000];
/** An answer that takes longer is stopped. */
const patienceMs = 5000;
const manyBodies = quick ? 7 : 837;

const within = (): (() => boolean) => {
  const begun = performance.now();
  return () => performance.now() - begun > patienceMs;
};

/** One answer with one long body: processor milliseconds, deltas, and whether the body came back. */
async function long(
  runner: Runner,
  length: number,
): Promise<{ cpu: number; deltas: number; exact: boolean } | undefined> {
  const body = plain.make(length).trimEnd();
  const chunks = cut(runner.encode([body]), chunkLength);
  const trial = await throughMiddleware(runner, chunks, within());
  if (!trial) return undefined;
  const begun = performance.now();
  await throughMiddleware(runner, chunks, within());
  const rounds = performance.now() - begun > 1000 ? { warmMs: 0, rounds: 1 } : { rounds: 5 };
  const { cpu } = await measure(() => throughMiddleware(runner, chunks, within()), rounds);
  return { cpu, deltas: trial.deltas, exact: String(trial.bodies[0] ?? "").trim() === body.trim() };
}

/** One answer with many calls: how many bodies came back to the letter, outer white space aside. */
async function many(runner: Runner): Promise<string> {
  const bodies = Array.from({ length: manyBodies }, (_, at) => (at % 2 ? angles : plain).make(300 + at).trim());
  const chunks = cut(runner.encode(bodies), chunkLength);
  const found = await throughMiddleware(runner, chunks, within()).catch(() => undefined);
  if (!found) return "> 5 s";
  const texts = found.bodies.map((body) => (typeof body === "string" ? body.trim() : undefined));
  return `${bodies.filter((body, at) => texts[at] === body).length}/${manyBodies}`;
}

/** Answers that stream through the middleware, beside the bare parser and beside a peer's middleware. */
export async function measureAiSdk({ progress }: Run): Promise<Findings> {
  const rows: string[][] = [];
  const bars: Bar[] = [];
  for (const runner of runners) {
    progress(runner.name);
    const [small, large] = [await long(runner, smallSize), await long(runner, largeSize)];
    const exact = await many(runner);
    const perMb = (of: typeof small, length: number): string => (of ? ms((of.cpu * 1e6) / length) : "> 5 s");
    const ofLarge = large ? [String(large.deltas), large.exact ? "yes" : "no"] : ["–", "–"];
    rows.push([runner.name, perMb(small, smallSize), perMb(large, largeSize), ...ofLarge, exact]);
    const { name, protocol } = runner;
    if (!protocol || !large || !small) continue;
    const chunks = cut(runner.encode([plain.make(largeSize).trimEnd()]), chunkLength);
    const bare = await measure(() => throughParser(protocol, chunks), { rounds: 5 });
    const all = `${manyBodies}/${manyBodies}`;
    bars.push(
      atMost(`${name}: 200 kB, beside the bare parser behind a stream`, large.cpu / bare.cpu, 1.3, "×"),
      atMost(`${name}: 200 kB, beside 50 kB`, large.cpu / small.cpu, 4.6, "×"),
      atLeast(`${name}: deltas of 200 kB in one argument`, large.deltas, 1000),
      { what: `${name}: bodies of ${manyBodies} calls`, limit: "all", measured: exact, met: exact === all },
    );
  }
  progress("guardCalls()");
  const guard = await measureGuard();
  return {
    bars: [...bars, ...guard.bars],
    tables: [
      {
        title: "Answers that stream",
        note: `Processor milliseconds per MB of an answer with one call whose argument is a program of 50 and of 200 kB, in chunks of ${chunkLength} characters, from the provider's stream to the tool call; how many deltas the argument of 200 kB had, and whether it came back; and how many of ${manyBodies} bodies of one answer came back, every second one full of angles. Outer white space is not compared.`,
        columns: ["middleware", "50 kB, per MB", "200 kB, per MB", "deltas", "exact", `bodies of ${manyBodies}`],
        rows,
      },
      guard.table,
    ],
  };
}
