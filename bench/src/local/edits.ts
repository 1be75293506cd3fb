import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LocalTools } from "@toolglot/local-tools";
import { inTurns, median, percentile } from "../measure.ts";
import { type Bar, type Findings, ms, ratio } from "../report.ts";

const rounds = 40;
const warm = 10;
const edit = "edit: found, journalled, written all or nothing";
const writing = "temporary file, fsync, rename, for each file";

/** Measures edits of files of 20 kB beside the least that a durable writing of them takes. `folder`: the first root. */
export async function measureEdits(local: LocalTools, folder: string): Promise<Findings> {
  const bars: Bar[] = [];
  const rows: string[][] = [];
  for (const count of [1, 30]) {
    const names = Array.from({ length: count }, (_, index) => join(folder, `file-${index}.ts`));
    const lines = Array.from({ length: 830 }, (_, line) => `const filler${line} = ${line};\n`);
    const filler = lines.join("").slice(0, 20_000);
    const text = (word: number | string): string => `${filler}\nconst word = "${word}";\n`;
    for (const name of names) writeFileSync(name, text("none"));
    let word: number | string = "none";
    const times = await inTurns([edit, writing], { rounds, warm }, async (way, round) => {
      if (way === edit) {
        const edits = [{ find: `"${word}"`, replace: `"${round}"` }];
        word = round;
        await local.edit(names.map((src) => ({ src, edits })));
      } else for (const name of names) replaceSafely(`${name}.copy`, text(round));
    });
    const middle = (way: string): number => median(times.get(way) ?? []);
    const most = 3 * middle(writing) + (count === 1 ? 1 : 0);
    bars.push({
      what: count === 1 ? "an edit of a file of 20 kB" : `an edit of ${count} such files`,
      limit: count === 1 ? "≤ 3× a durable writing + 1 ms" : `≤ 3× ${count} durable writings`,
      measured: `${ms(middle(edit))}, limit ${ms(most)}`,
      met: middle(edit) <= most,
    });
    for (const [way, found] of times) {
      const p95 = percentile(found, 0.95);
      rows.push([way, String(count), ms(middle(way)), ms(p95), ratio(middle(way), middle(writing))]);
    }
  }
  const note = `Files of 20 kB, one replacement in each, beside the same files written by synchronous calls in the same folder: \`open\`, \`write\`, \`fsync\`, \`close\`, \`rename\`. ${rounds} times, the two in turns.`;
  return {
    bars,
    tables: [{ title: "An edit", note, columns: ["", "files", "median", "p95", "beside writing"], rows }],
  };
}

function replaceSafely(path: string, text: string): void {
  const file = openSync(`${path}.tmp`, "w");
  writeFileSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.tmp`, path);
}
