import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentPage } from "./agent/page.ts";
import { aiSdkPage } from "./ai-sdk/page.ts";
import { localPage } from "./local/page.ts";
import { describeMachine } from "./machine.ts";
import { type Measured, page } from "./page.ts";
import { barTable, type Findings, markdown } from "./report.ts";
import { sandboxPage } from "./sandbox/page.ts";
import { tasksPage } from "./tasks/page.ts";
import { trpPage } from "./trp/page.ts";
import { transportsPage } from "./trp/transports-page.ts";

const [what, root] = process.argv.slice(2) as [string, string];
/** Where the pages go; docs/benchmarks.md says by hand what a user compares. */
const results = join(root, "bench/results");
const progress = (text: string): void => console.error(`· ${text}`);

/** The parts, each loaded only when it is measured: one benchmark needs no more packages than it is about. */
const parts: { [Part in keyof Measured]: () => Promise<Findings> } = {
  attp: async () => (await import("./parsers/index.ts")).measureParser("attp", progress),
  tam: async () => (await import("./parsers/index.ts")).measureParser("tam", progress),
  toolsxml: async () => (await import("./parsers/index.ts")).measureParser("toolsxml", progress),
  slips: async () => (await import("./slips/index.ts")).measureSlips(root, progress),
  tokens: async () => (await import("./tokens/index.ts")).measureTokens(progress),
  toolkit: async () => (await import("./toolkit/index.ts")).measureToolkit(progress),
};

const measured: Partial<Measured> = {};
for (const part of Object.keys(parts) as (keyof Measured)[]) {
  if (what !== "all" && what !== part) continue;
  const found = await parts[part]();
  measured[part] = found;
  const bars = found.bars.length > 0 ? [barTable(found.bars)] : [];
  for (const table of [...found.tables, ...bars]) console.log(`\n${markdown(table)}`);
}
// Servers, clients, disks and terminals: runs and pages of their own.
if (what === "agent") {
  const found = await (await import("./agent/index.ts")).measureAgent(progress);
  writePage("agent.md", agentPage(describeMachine(root), found));
}
if (what === "ai-sdk") {
  const found = await (await import("./ai-sdk/index.ts")).measureAiSdk(progress);
  writePage("ai-sdk.md", aiSdkPage(describeMachine(root), found));
}
if (what === "tasks") {
  const found = await (await import("./tasks/index.ts")).measureTasks(progress);
  // Tokens depend on the commit alone.
  writePage("tasks.md", tasksPage(describeMachine(root).slice(2, 3), found));
}
if (what === "transports") {
  const found = await (await import("./trp/transports.ts")).measureTransports(progress);
  writePage("transports.md", transportsPage(describeMachine(root), found));
}
if (what === "trp") {
  const found = await (await import("./trp/index.ts")).measureTrp(progress);
  writePage("trp.md", trpPage(describeMachine(root), found));
}
if (what === "writes") {
  const { tables } = await (await import("./trp/writes.ts")).measureWrites(progress);
  for (const table of tables) console.log(`\n${markdown(table)}`);
}
if (what === "local") {
  const found = await (await import("./local/index.ts")).measureLocal(root, progress);
  writePage("local.md", localPage(describeMachine(root), found));
}
if (what === "searches") {
  const { bars, tables } = await (await import("./local/index.ts")).measureSearchesAlone(root, progress);
  for (const table of [...tables, barTable(bars)]) console.log(`\n${markdown(table)}`);
}
if (what === "sandbox-reuse") {
  const { bars, tables } = await (await import("./sandbox/index.ts")).measureReuseAlone(progress);
  for (const table of [...tables, barTable(bars)]) console.log(`\n${markdown(table)}`);
}
if (what === "sandbox-sessions") {
  const { bars, tables } = await (await import("./sandbox/sessions.ts")).measureSessions(progress);
  for (const table of [...tables, barTable(bars)]) console.log(`\n${markdown(table)}`);
}
if (what === "sandbox") {
  const found = await (await import("./sandbox/index.ts")).measureSandbox(progress);
  writePage("sandbox.md", sandboxPage(describeMachine(root), found));
}
if (what === "all") {
  const file = join(results, "parsers.md");
  writeFileSync(file, page(describeMachine(root), measured as Measured));
  console.error(`wrote ${file}`);
}

function writePage(name: string, text: string): void {
  const file = join(results, name);
  writeFileSync(file, text);
  console.log(text);
  console.error(`wrote ${file}`);
}
