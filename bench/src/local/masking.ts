import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openSecrets, type Secrets } from "@toolglot/secrets";
import { cut } from "../bodies.ts";
import { cpuNow, median, timesOf } from "../measure.ts";
import { atMost, type Findings, ms } from "../report.ts";

const megabyte = 2 ** 20;
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
const sources = [
  "README.md",
  "docs/architecture.md",
  "package.json",
  "packages/local-tools/README.md",
  "scripts/test.mjs",
];

/** Measures what it costs to look for 20 values of 40 characters in the output of commands. */
export async function measureMasking(root: string): Promise<Findings> {
  const values = Array.from({ length: 20 }, (_, at) => secretText(at, 40));
  const secrets = await withValues(values);
  const none = await openSecrets();
  const ordinary = repeated(sources.map((name) => readFileSync(join(root, name), "utf8")).join("\n"), megabyte);
  const dump = repeated("00001230  7f 45 4c 46 02 01 01 00  00 00 00 00 00 00 00 00  |.ELF............|\n", megabyte);
  const alike = await withValues(values.map((value) => `${"aab".repeat(13)}${value[0]}`));
  const hostile = (size: number): Promise<number> => time(alike, repeated("aab".repeat(12), size));

  const typical = await time(secrets, ordinary);
  const twice = (await hostile(megabyte)) / (await hostile(megabyte / 2));
  const setting = await timesOf({ rounds: 30, clock: cpuNow }, (round) =>
    secrets.set(`SET_${round}`, `${secretText(round + 100, 30)}'"$é/& \n%`),
  );
  const rows: [string, number][] = [
    ["sources and prose", typical],
    ["a hexadecimal dump", await time(secrets, dump)],
    ["the beginning of 20 values, again and again", await hostile(megabyte)],
    ["no values", await time(none, ordinary)],
    [
      "20 times replaceAll",
      await timeOf(() => values.reduce((text, value) => text.replaceAll(value, "‹V›"), ordinary)),
    ],
  ];
  for (const opened of [secrets, none, alike]) opened.close();
  return {
    bars: [
      atMost("masking 1 MB of ordinary output, 20 values", typical, 25, " ms"),
      atMost("the same with a form's beginning repeated, double the text", twice, 2.3, "×"),
      atMost("setting a value", median(setting), 5, " ms"),
    ],
    tables: [
      {
        title: "Masking",
        note: `Processor time for 1 MB in pieces of 64 kB, 20 values of 40 characters, in all forms. Beside it: 20 times \`replaceAll\`, which finds values as they are and in one piece only.`,
        columns: ["", "1 MB"],
        rows: rows.map(([what, value]) => [what, ms(value)]),
      },
    ],
  };
}

async function withValues(values: readonly string[]): Promise<Secrets> {
  const secrets = await openSecrets();
  for (const [at, value] of values.entries()) await secrets.set(`NAME_${at}`, value);
  return secrets;
}

/** Always the same letters, with no order that a person would see. */
function secretText(seed: number, length: number): string {
  let state = seed + 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return letters[(state >> 8) & 63];
  }).join("");
}

const repeated = (text: string, size: number): string => text.repeat(Math.ceil(size / text.length)).slice(0, size);

function time(secrets: Secrets, text: string): Promise<number> {
  // As they come from a program: flat strings, not parts of a larger one.
  const pieces = cut(text, 65_536).map((piece) => Buffer.from(piece).toString());
  return timeOf(() => {
    const masker = secrets.masker();
    let length = 0;
    for (const piece of pieces) length += masker.write(piece).length;
    return length + masker.end().length;
  });
}

/** Processor time, which other programs on the machine hardly change. */
const timeOf = async (work: () => unknown): Promise<number> =>
  median(await timesOf({ rounds: 9, warm: 3, clock: cpuNow }, work));
