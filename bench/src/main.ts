import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeMachine } from "./machine.ts";
import { page } from "./page.ts";
import { barTable, type Findings, markdown } from "./report.ts";

const [what, root] = process.argv.slice(2) as [string, string];
const progress = (text: string): void => console.error(`· ${text}`);

const parsers = what === "sandbox" ? undefined : await (await import("./parsers/index.ts")).measureParsers(progress);
const sandbox = what === "attp" ? undefined : await (await import("./sandbox.ts")).measureSandbox(progress);

for (const { tables, bars } of [parsers, sandbox].filter((found): found is Findings => found !== undefined)) {
  for (const table of [...tables, barTable(bars)]) console.log(`\n${markdown(table)}`);
}
if (parsers && sandbox) {
  const file = join(root, "docs", "benchmarks.md");
  writeFileSync(file, page(describeMachine(root), parsers, sandbox));
  console.error(`wrote ${file}`);
}
