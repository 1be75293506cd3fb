import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openSecrets, type Secrets } from "@toolglot/secrets";
import { median } from "../measure.ts";
import { type Bar, type Findings, figure, type Table } from "../report.ts";

const megabyte = 2 ** 20;
const chunk = 65_536;
const rounds = 9;
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

/** Measures what it costs to look for 20 values of 40 characters in the output of commands. */
export async function measureMasking(root: string): Promise<Findings> {
  const values = Array.from({ length: 20 }, (_, at) => secretText(at, 40));
  const secrets = await withValues(values);
  const none = await openSecrets();
  const sources = [
    "README.md",
    "docs/architecture.md",
    "package.json",
    "packages/local-tools/README.md",
    "scripts/test.mjs",
  ];
  const ordinary = repeated(sources.map((name) => readFileSync(join(root, name), "utf8")).join("\n"), megabyte);
  const dump = repeated("00001230  7f 45 4c 46 02 01 01 00  00 00 00 00 00 00 00 00  |.ELF............|\n", megabyte);
  const alike = await withValues(values.map((value) => `${"aab".repeat(13)}${value[0]}`));
  const hostile = (size: number): string => repeated("aab".repeat(12), size);

  const typical = time(secrets, ordinary);
  const twice = time(alike, hostile(megabyte)) / time(alike, hostile(megabyte / 2));
  const setting = await timeOfSet(secrets);
  const bars: Bar[] = [
    {
      what: "masking 1 MB of ordinary output, 20 values",
      limit: "≤ 25 ms",
      measured: `${figure(typical)} ms`,
      met: typical <= 25,
    },
    {
      what: "the same with a form's beginning repeated, double the text",
      limit: "≤ 2.3×",
      measured: `${figure(twice)}×`,
      met: twice <= 2.3,
    },
    { what: "setting a value", limit: "≤ 5 ms", measured: `${figure(setting)} ms`, met: setting <= 5 },
  ];
  const row = (what: string, ms: number): string[] => [what, `${figure(ms)} ms`];
  const table: Table = {
    title: "Masking",
    note: `Processor time for 1 MB in pieces of 64 kB, 20 values of 40 characters, in all forms. Beside it: 20 times \`replaceAll\`, which finds values as they are and in one piece only.`,
    columns: ["", "1 MB"],
    rows: [
      row("sources and prose", typical),
      row("a hexadecimal dump", time(secrets, dump)),
      row("the beginning of 20 values, again and again", time(alike, hostile(megabyte))),
      row("no values", time(none, ordinary)),
      row(
        "20 times replaceAll",
        timeOf(() => values.reduce((text, value) => text.replaceAll(value, "‹V›"), ordinary)),
      ),
    ],
  };
  for (const opened of [secrets, none, alike]) opened.close();
  return { bars, tables: [table] };
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

function repeated(text: string, size: number): string {
  return text.repeat(Math.ceil(size / text.length)).slice(0, size);
}

function time(secrets: Secrets, text: string): number {
  // As they come from a program: flat strings, not parts of a larger one.
  const pieces = Array.from({ length: Math.ceil(text.length / chunk) }, (_, at) =>
    Buffer.from(text.slice(at * chunk, (at + 1) * chunk)).toString(),
  );
  return timeOf(() => {
    const masker = secrets.masker();
    let length = 0;
    for (const piece of pieces) length += masker.write(piece).length;
    return length + masker.end().length;
  });
}

/** Processor time, which other programs on the machine hardly change. */
function timeOf(work: () => unknown): number {
  const times: number[] = [];
  for (let round = -3; round < rounds; round++) {
    const began = process.cpuUsage();
    work();
    if (round >= 0) times.push(since(began));
  }
  return median(times);
}

function since(began: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

async function timeOfSet(secrets: Secrets): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 30; round++) {
    const value = `${secretText(round + 100, 30)}'"$é/& \n%`;
    const began = process.cpuUsage();
    await secrets.set(`SET_${round}`, value);
    times.push(since(began));
  }
  return median(times);
}
