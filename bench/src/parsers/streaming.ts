import { angles, type BodyKind, cut, plain } from "../bodies.ts";
import { measure, quick, type Rounds } from "../measure.ts";
import { type Bar, type Findings, figure, type Run, ratio } from "../report.ts";
import { besidePeer } from "./one-shot.ts";
import type { Call, Own, Subject } from "./parser.ts";
import { peers } from "./peers.ts";

const sizes = quick ? [1, 2, 4] : [50, 100, 200, 400];
export const chunkLength = 8;
/** A stream that takes longer is stopped, and larger ones are not tried. */
const patienceMs = 5000;
const bars200 = 13;
export const growthBar = 2.3;

/** Processor milliseconds of one stream; how the bodies came back; or that it was stopped or failed. */
type Outcome = { cpu: number; exact: boolean; scaled?: true } | "stopped" | "fails";

/** The bodies, or undefined when it took too long. */
async function streamOnce(subject: Subject, chunks: readonly string[]): Promise<string[] | undefined> {
  const begun = performance.now();
  return await subject.stream?.(chunks, () => performance.now() - begun > patienceMs);
}

/** Reads one text in chunks of so many characters. */
export async function stream(
  subject: Subject,
  text: string,
  code: string,
  length = chunkLength,
  often: Rounds = {},
): Promise<Outcome> {
  const chunks = cut(text, length);
  if (!subject.stream) return rereadPrefixes(subject, text, code, length);
  try {
    let trial: string[] | undefined;
    const first = await measure(async () => (trial = await streamOnce(subject, chunks)), {
      ...often,
      warmMs: 0,
      rounds: 1,
    });
    if (!trial) return "stopped";
    const exact = trial.length === 1 && trial[0]?.trim() === code.trim();
    if (first.wall > 700) return { cpu: first.cpu, exact };
    const { cpu } = await measure(() => streamOnce(subject, chunks), often);
    return { cpu, exact };
  } catch {
    return "fails";
  }
}

/** What it costs to read every prefix anew: 40 of them read, the sum scaled to all. */
async function rereadPrefixes(subject: Subject, text: string, code: string, length: number): Promise<Outcome> {
  const samples = 40;
  const count = Math.ceil(text.length / length);
  const ends = Array.from({ length: samples }, (_, index) => Math.floor(((index + 0.5) * count) / samples) * length);
  const read = (end: number): void => {
    try {
      subject.parsePrefix?.(text.slice(0, end));
    } catch {
      // Most prefixes are no whole text: that is what asking again for each chunk means.
    }
  };
  const { cpu } = await measure(() => ends.forEach(read), { warmMs: 1, rounds: 3 });
  let exact = false;
  try {
    const bodies = await subject.parse(text);
    exact = bodies.length === 1 && bodies[0]?.trim() === code.trim();
  } catch {
    return "fails";
  }
  return { cpu: (cpu * count) / samples, exact, scaled: true };
}

export const oneCall = (kind: BodyKind, kilobytes: number): Call => ({
  target: "one call",
  code: kind.make(kilobytes * 1000),
});

export function cell(outcome: Outcome | undefined): string {
  if (outcome === undefined) return "–";
  if (outcome === "stopped") return `> ${patienceMs / 1000} s`;
  if (outcome === "fails") return "fails";
  return `${figure(outcome.cpu)}${outcome.scaled ? "\\*" : ""}${outcome.exact ? "" : " ✗"}`;
}

export const cpuOf = (outcome: Outcome | undefined): number => (typeof outcome === "object" ? outcome.cpu : Number.NaN);

/** How many times the cost grows where the text doubles: the mean of the steps from the first size to the last. */
function growth(outcomes: readonly (Outcome | undefined)[]): number {
  const costs = outcomes.map(cpuOf).filter(Number.isFinite);
  return ((costs.at(-1) ?? Number.NaN) / (costs[0] ?? Number.NaN)) ** (1 / (costs.length - 1));
}

/** The largest single step. */
function largestStep(outcomes: readonly (Outcome | undefined)[]): number {
  const steps = outcomes.slice(1).map((outcome, index) => cpuOf(outcome) / cpuOf(outcomes[index]));
  return Math.max(...steps.filter(Number.isFinite));
}

async function grow(read: (kilobytes: number) => Promise<Outcome>): Promise<(Outcome | undefined)[]> {
  const outcomes: (Outcome | undefined)[] = [];
  for (const kilobytes of sizes) {
    const last = outcomes.at(-1);
    const hopeless = outcomes.length > 0 && (typeof last !== "object" || (!last.scaled && last.cpu > patienceMs / 2));
    outcomes.push(hopeless ? undefined : await read(kilobytes));
  }
  return outcomes;
}

const columns = ["", ...sizes.map((size) => `${size} KB, ms`), "growth", "largest step"];
const scaledNote =
  "\\* The parser reads whole texts only: 40 prefixes were read, the sum is scaled to all. ✗: the body did not come back as it was.";

/** One call with an ordinary body, fed in chunks of 8 characters: every parser, growing texts. */
export async function streamingPlain(
  { id, subject: own, sameText }: Own,
  progress: Run["progress"],
): Promise<Findings> {
  const rows: string[][] = [];
  const bars: Bar[] = [];
  let ours = Number.NaN;
  for (const subject of [own, ...sameText, ...peers]) {
    progress(`streaming: ${subject.name}`);
    const outcomes = await grow((kilobytes) => {
      const call = oneCall(plain, kilobytes);
      return stream(subject, subject.encode([call]), call.code);
    });
    const at200 = cpuOf(outcomes[2]);
    const what = `${id}, 200 KB in 8-character chunks`;
    const exact = outcomes.every((outcome) => typeof outcome === "object" && outcome.exact);
    if (subject === own) {
      ours = at200;
      bars.push({ what, limit: `≤ ${bars200} ms`, measured: `${figure(at200)} ms`, met: at200 <= bars200 && exact });
      bars.push(growthLine(`${id}, plain body`, outcomes));
    } else if (sameText.includes(subject)) {
      const reached = outcomes.filter((outcome) => outcome !== undefined).at(-1);
      const theirs = Number.isFinite(at200) ? `${figure(at200)} ms${exact ? "" : ", not exact"}` : cell(reached);
      bars.push(besidePeer(subject, what, `≤ ${theirs}`, `${figure(ours)} ms`, exact && at200 < ours));
    }
    const grown = [figure(growth(outcomes)), figure(largestStep(outcomes))];
    rows.push([subject.name, ...outcomes.map(cell), ...grown, ratio(at200, ours)]);
  }
  const note = `Processor time of a whole stream with deltas on. Growth: how many times the cost grows where the text doubles, on average from the first size to the last (2 is linear, 4 quadratic); single steps tell less, as V8 treats strings and arrays of some sizes differently. To ours: at 200 KB, above 1 is slower. ${scaledNote} A stream that takes longer than ${patienceMs / 1000} s is stopped.`;
  return { tables: [{ title: "Streaming an ordinary body", note, columns: [...columns, "to ours"], rows }], bars };
}

function growthLine(what: string, outcomes: readonly (Outcome | undefined)[], endsValues = false): Bar {
  const most = largestStep(outcomes);
  const exact = outcomes.every((outcome) => typeof outcome === "object" && (outcome.exact || endsValues));
  return {
    what: `growth in any doubling, ${what}`,
    limit: `≤ ${growthBar}`,
    measured: exact ? figure(most) : `${figure(most)}, body not exact`,
    met: exact && most <= growthBar,
  };
}

/** Texts made to be hard, for our parser: growing, and one character at a time. */
export async function streamingHostile(
  { id, subject, alone, hostile, hostileProse }: Own,
  progress: Run["progress"],
): Promise<Findings> {
  const small: Call = { target: "one call", code: plain.make(500) };
  const carried = (name: string, kind: BodyKind, length = chunkLength) => ({
    ...{ name, length, endsValues: kind.endsValues },
    textOf(size: number): [text: string, code: string] {
      const call = oneCall(kind, size);
      return [subject.encode([call]), call.code];
    },
  });
  const cases: ReturnType<typeof carried>[] = [
    ...hostile.map((kind) => carried(`body: ${kind.name}`, kind)),
    ...hostileProse.map((kind) => ({
      ...carried(kind.name, kind),
      textOf: (size: number): [string, string] => [`${kind.make(size * 1000)}\n\n${alone(small)}`, small.code],
    })),
    carried("plain body, one-character chunks", plain, 1),
    carried(`body: ${angles.name}, one-character chunks`, angles, 1),
  ];
  const rows: string[][] = [];
  const bars: Bar[] = [];
  for (const { name, textOf, length, endsValues } of cases) {
    progress(`hostile: ${name}`);
    const outcomes = await grow((size) => stream(subject, ...textOf(size), length));
    rows.push([name, ...outcomes.map(cell), figure(growth(outcomes)), figure(largestStep(outcomes))]);
    bars.push(growthLine(`${id}, ${name}`, outcomes, endsValues));
  }
  const ends = hostile.some(({ endsValues }) => endsValues)
    ? " Where what a body holds ends a value in its format, it need not come back."
    : "";
  const note = `@toolglot/${id} alone, 8-character chunks unless said otherwise.${ends} ${[...hostile, ...hostileProse]
    .map(({ name, about }) => `*${name}*: ${about}.`)
    .join(" ")}`;
  const headings = [`@toolglot/${id}`, ...columns.slice(1)];
  return { tables: [{ title: "Streaming hostile text", note, columns: headings, rows }], bars };
}

/** The same hostile bodies in the peers' formats, 50 KB. */
export async function hostilePeers(
  { subject: own, sameText, hostile }: Own,
  progress: Run["progress"],
): Promise<Findings> {
  const rows: string[][] = [];
  for (const subject of [own, ...sameText, ...peers.filter((peer) => peer.stream)]) {
    progress(`hostile bodies: ${subject.name}`);
    const cells = [subject.name];
    for (const kind of [plain, ...hostile]) {
      const call = oneCall(kind, sizes[0] ?? 50);
      cells.push(cell(await stream(subject, subject.encode([call]), call.code)));
    }
    rows.push(cells);
  }
  const note =
    "Processor milliseconds for a 50 KB body in 8-character chunks. ✗: the body did not come back as it was.";
  const headings = ["", plain.name, ...hostile.map(({ name }) => name)];
  return {
    tables: [{ title: "Hostile bodies beside the peers that stream", note, columns: headings, rows }],
    bars: [],
  };
}
