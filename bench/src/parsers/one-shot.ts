import { plain } from "../bodies.ts";
import { measure, often } from "../measure.ts";
import { type Bar, type Findings, figure, type Run, ratio } from "../report.ts";
import type { Call, Own, Subject } from "./parser.ts";
import { peers } from "./peers.ts";

const call = (length: number, index: number): Call => ({
  target: `write the report ${index}`,
  code: `# part ${index}\n${plain.make(length)}`,
});

const calls = (count: number, length: number): Call[] =>
  Array.from({ length: often(count) }, (_, index) => call(length, index));

/** Sets of messages, each a list of calls. */
const loads: Readonly<Record<string, Call[][]>> = {
  "837 calls in one message": [calls(837, 900)],
  "300 messages of one call": calls(300, 900).map((one) => [one]),
  "one call of 1 MB": [[call(often(1000) * 1000, 1)]],
};

const bar = 30;

async function speedOf(subject: Subject, messages: Call[][]) {
  const texts = messages.map((list) => subject.encode(list));
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const wanted = messages.flatMap((list) => list.map(({ code }) => code.trim()));
  let found: string[] = [];
  const parseAll = async (): Promise<void> => {
    const all: string[][] = [];
    for (const text of texts) {
      const bodies = subject.parse(text);
      all.push(bodies instanceof Promise ? await bodies : bodies);
    }
    found = all.flat();
  };
  let failed = false;
  const timing = await measure(() => parseAll().catch(() => (failed = true)));
  const exact = failed ? 0 : wanted.filter((body, index) => found[index]?.trim() === body).length;
  return { megabytesPerSecond: failed ? Number.NaN : bytes / 1000 / timing.cpu, exact, of: wanted.length };
}

/** Whole texts at once: megabytes a second, and how many bodies came back as they were. */
export async function oneShot(
  { id, subject: own, sameText, shares = {} }: Own,
  progress: Run["progress"],
): Promise<Findings> {
  const rows: string[][] = [];
  const bars: Bar[] = [];
  const ours: Record<string, number> = {};
  for (const subject of [own, ...sameText, ...peers]) {
    progress(`one-shot: ${subject.name}`);
    const cells = [`${subject.name}: ${subject.form}`];
    for (const [name, messages] of Object.entries(loads)) {
      const { megabytesPerSecond: speed, exact, of } = await speedOf(subject, messages);
      if (subject === own) ours[name] = speed;
      const mine = ours[name] ?? Number.NaN;
      const what = `${id}, one-shot, ${name}`;
      const measured = `${figure(mine)} MB/s`;
      if (subject === own) bars.push({ what, limit: `≥ ${bar} MB/s`, measured, met: speed >= bar && exact === of });
      else if (sameText.includes(subject))
        bars.push(besidePeer(subject, what, `≥ ${figure(speed)} MB/s`, measured, exact === of && speed > mine));
      const share = shares[subject.name];
      if (share !== undefined) {
        const limit = `≥ ${share} of its ${figure(speed)} MB/s`;
        bars.push(besidePeer(subject, what, limit, measured, mine < share * speed));
      }
      cells.push(Number.isFinite(speed) ? figure(speed) : "fails", ratio(speed, mine), `${exact}/${of}`);
    }
    rows.push(cells);
  }
  const columns = [
    "parser: what it reads",
    ...Object.keys(loads).flatMap((name) => [`${name}, MB/s`, "to ours", "exact"]),
  ];
  const note =
    "Megabytes of each format's own text a second of processor time; how many times our speed that is (above 1 is faster than ours); bodies that came back as they were, white space at their ends aside.";
  return { tables: [{ title: "One-shot", note, columns, rows }], bars };
}

/** A peer that reads the same text must not be faster, unless its bodies are wrong. */
export function besidePeer({ name }: Subject, what: string, limit: string, measured: string, faster: boolean): Bar {
  return { what: `${what}, beside ${name}`, limit, measured, met: !faster };
}
