import { angles, plain } from "../bodies.ts";
import { measure } from "../measure.ts";
import { type Bar, type Findings, figure, ratio } from "../report.ts";
import { type Runner, runners, throughMiddleware, throughParser } from "./runs.ts";

const chunkLength = 8;
const sizes = [50_000, 200_000];
/** An answer that takes longer is stopped. */
const patienceMs = 5000;
const manyBodies = 837;

function cut(text: string): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length; at += chunkLength) chunks.push(text.slice(at, at + chunkLength));
  return chunks;
}

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
  const chunks = cut(runner.encode([body]));
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
  const kinds = [plain, angles];
  const bodies = Array.from({ length: manyBodies }, (_, at) =>
    (kinds[at % kinds.length] ?? plain).make(300 + at).trim(),
  );
  const found = await throughMiddleware(runner, cut(runner.encode(bodies)), within()).catch(() => undefined);
  if (!found) return "> 5 s";
  const exact = bodies.filter(
    (body, at) => typeof found.bodies[at] === "string" && (found.bodies[at] as string).trim() === body,
  );
  return `${exact.length}/${manyBodies}`;
}

/** Answers that stream through the middleware, beside the bare parser and beside a peer's middleware. */
export async function measureAiSdk(progress: (text: string) => void): Promise<Findings> {
  const rows: string[][] = [];
  const bars: Bar[] = [];
  for (const runner of runners) {
    progress(`ai-sdk: ${runner.name}`);
    const [small, large] = [await long(runner, sizes[0] as number), await long(runner, sizes[1] as number)];
    const exact = await many(runner);
    const perMb = (of: typeof small, length: number): string =>
      of ? `${figure((of.cpu * 1e6) / length)} ms` : "> 5 s";
    rows.push([
      runner.name,
      perMb(small, sizes[0] as number),
      perMb(large, sizes[1] as number),
      large ? String(large.deltas) : "–",
      large ? (large.exact ? "yes" : "no") : "–",
      exact,
    ]);
    if (!runner.protocol || !large || !small) continue;
    const { protocol } = runner;
    const chunks = cut(runner.encode([plain.make(sizes[1] as number).trimEnd()]));
    const bare = await measure(() => throughParser(protocol, chunks), { rounds: 5 });
    const growth = large.cpu / small.cpu;
    bars.push(
      {
        what: `${runner.name}: 200 kB, beside the bare parser behind a stream`,
        limit: "≤ 1.3×",
        measured: ratio(large.cpu, bare.cpu),
        met: large.cpu <= 1.3 * bare.cpu,
      },
      {
        what: `${runner.name}: 200 kB, beside 50 kB`,
        limit: "≤ 4.6×",
        measured: `${figure(growth)}×`,
        met: growth <= 4.6,
      },
      {
        what: `${runner.name}: deltas of 200 kB in one argument`,
        limit: "≥ 1,000",
        measured: String(large.deltas),
        met: large.deltas >= 1000,
      },
      {
        what: `${runner.name}: bodies of ${manyBodies} calls`,
        limit: "all",
        measured: exact,
        met: exact === `${manyBodies}/${manyBodies}`,
      },
    );
  }
  return {
    bars,
    tables: [
      {
        title: "Answers that stream",
        note: `Processor milliseconds per MB of an answer with one call whose argument is a program of 50 and of 200 kB, in chunks of ${chunkLength} characters, from the provider's stream to the tool call; how many deltas the argument of 200 kB had, and whether it came back; and how many of ${manyBodies} bodies of one answer came back, every second one full of angles. Outer white space is not compared.`,
        columns: ["middleware", "50 kB, per MB", "200 kB, per MB", "deltas", "exact", `bodies of ${manyBodies}`],
        rows,
      },
    ],
  };
}
