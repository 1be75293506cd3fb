import { plain } from "../bodies.ts";
import { measure } from "../measure.ts";
import { type Bar, figure, ratio, type Table } from "../report.ts";
import type { Call, Own, Subject } from "./parser.ts";
import { peers } from "./peers.ts";

/** A set of messages, each a list of calls. */
interface Load {
  name: string;
  messages: Call[][];
}

const call = (length: number, index: number): Call => ({
  target: `write the report ${index}`,
  code: `# part ${index}\n${plain.make(length)}`,
});

const calls = (count: number, length: number): Call[] =>
  Array.from({ length: count }, (_, index) => call(length, index));

const loads: Load[] = [
  { name: "837 calls in one message", messages: [calls(837, 900)] },
  { name: "300 messages of one call", messages: calls(300, 900).map((one) => [one]) },
  { name: "one call of 1 MB", messages: [[call(1_000_000, 1)]] },
];

interface Speed {
  megabytesPerSecond: number;
  exact: number;
  of: number;
}

const bar = 30;

async function speedOf(subject: Subject, { messages }: Load): Promise<Speed> {
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
  progress: (text: string) => void,
): Promise<{ table: Table; bars: Bar[] }> {
  const rows: string[][] = [];
  const bars: Bar[] = [];
  const ours: number[] = [];
  for (const subject of [own, ...sameText, ...peers]) {
    progress(`one-shot: ${subject.name}`);
    const cells = [`${subject.name}: ${subject.form}`];
    for (const [index, load] of loads.entries()) {
      const { megabytesPerSecond, exact, of } = await speedOf(subject, load);
      const measured = `${figure(megabytesPerSecond)} MB/s`;
      const what = `${id}, one-shot, ${load.name}`;
      if (subject === own) {
        ours.push(megabytesPerSecond);
        bars.push({ what, limit: `≥ ${bar} MB/s`, measured, met: megabytesPerSecond >= bar && exact === of });
      } else if (sameText.includes(subject)) {
        const mine = ours[index] as number;
        bars.push(
          besidePeer(subject, what, `≥ ${measured}`, `${figure(mine)} MB/s`, exact === of && megabytesPerSecond > mine),
        );
      }
      const share = shares[subject.name];
      if (share !== undefined) {
        const mine = ours[index] as number;
        const limit = `≥ ${share} of its ${figure(megabytesPerSecond)} MB/s`;
        const met = mine >= share * megabytesPerSecond;
        bars.push(besidePeer(subject, what, limit, `${figure(mine)} MB/s`, !met));
      }
      const speed = Number.isFinite(megabytesPerSecond) ? figure(megabytesPerSecond) : "fails";
      cells.push(speed, ratio(megabytesPerSecond, ours[index] as number), `${exact}/${of}`);
    }
    rows.push(cells);
  }
  const columns = ["parser: what it reads", ...loads.flatMap(({ name }) => [`${name}, MB/s`, "to ours", "exact"])];
  const note =
    "Megabytes of each format's own text a second of processor time; how many times our speed that is (above 1 is faster than ours); bodies that came back as they were, white space at their ends aside.";
  return { table: { title: "One-shot", note, columns, rows }, bars };
}

/** A peer that reads the same text must not be faster, unless its bodies are wrong. */
export function besidePeer({ name }: Subject, what: string, limit: string, measured: string, faster: boolean): Bar {
  return { what: `${what}, beside ${name}`, limit, measured, met: !faster };
}
