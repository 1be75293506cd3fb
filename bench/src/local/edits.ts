import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LocalTools } from "@toolglot/local-tools";
import { median, percentile } from "../measure.ts";
import { type Bar, type Findings, figure, ratio, type Table } from "../report.ts";

const rounds = 40;
const sizes = [1, 30];

/** Measures edits of files of 20 kB beside the least that a durable writing of them takes. `folder`: the first root. */
export async function measureEdits(local: LocalTools, folder: string): Promise<Findings> {
  const bars: Bar[] = [];
  const rows: string[][] = [];
  for (const count of sizes) {
    const { edits, writings } = await measure(local, folder, count);
    const [edit, writing] = [median(edits), median(writings)];
    const most = 3 * writing + (count === 1 ? 1 : 0);
    bars.push({
      what: count === 1 ? "an edit of a file of 20 kB" : `an edit of ${count} such files`,
      limit: count === 1 ? "≤ 3× a durable writing + 1 ms" : `≤ 3× ${count} durable writings`,
      measured: `${figure(edit)} ms, limit ${figure(most)} ms`,
      met: edit <= most,
    });
    const row = (name: string, times: number[]): string[] => [
      name,
      String(count),
      `${figure(median(times))} ms`,
      `${figure(percentile(times, 0.95))} ms`,
      ratio(median(times), writing),
    ];
    rows.push(row("edit: found, journalled, written all or nothing", edits));
    rows.push(row("temporary file, fsync, rename, for each file", writings));
  }
  const table: Table = {
    title: "An edit",
    note: `Files of 20 kB, one replacement in each, beside the same files written by synchronous calls in the same folder: \`open\`, \`write\`, \`fsync\`, \`close\`, \`rename\`. ${rounds} times, the two in turns.`,
    columns: ["", "files", "median", "p95", "beside writing"],
    rows,
  };
  return { bars, tables: [table] };
}

async function measure(
  local: LocalTools,
  folder: string,
  count: number,
): Promise<{ edits: number[]; writings: number[] }> {
  const names = Array.from({ length: count }, (_, index) => join(folder, `file-${index}.ts`));
  const filler = Array.from({ length: 830 }, (_, line) => `const filler${line} = ${line};\n`)
    .join("")
    .slice(0, 20_000);
  const text = (round: number): string => `${filler}\nconst word = "${round}";\n`;
  for (const name of names) writeFileSync(name, text(-11));
  const edits: number[] = [];
  const writings: number[] = [];
  for (let round = -10; round < rounds; round++) {
    const began = performance.now();
    await local.edit(names.map((src) => ({ src, edits: [{ find: `"${round - 1}"`, replace: `"${round}"` }] })));
    const edited = performance.now();
    for (const name of names) replaceSafely(`${name}.copy`, text(round));
    if (round < 0) continue;
    edits.push(edited - began);
    writings.push(performance.now() - edited);
  }
  return { edits, writings };
}

function replaceSafely(path: string, text: string): void {
  const file = openSync(`${path}.tmp`, "w");
  writeFileSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.tmp`, path);
}
