import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { page, printed } from "@toolglot/internal/testing/pages";
import { describeMachine } from "./machine.ts";
import { quick } from "./measure.ts";
import type { Measure } from "./report.ts";

/** The benchmarks, each loaded only when it is measured: one needs no more packages than it is about. */
const benchmarks: Record<string, () => Promise<Measure>> = {
  attp: async () => (await import("./parsers/index.ts")).measureAttp,
  tam: async () => (await import("./parsers/index.ts")).measureTam,
  toolsxml: async () => (await import("./parsers/index.ts")).measureToolsXml,
  dialects: async () => (await import("./parsers/dialects.ts")).measureDialects,
  tokens: async () => (await import("./tokens/index.ts")).measureTokens,
  toolkit: async () => (await import("./toolkit/index.ts")).measureToolkit,
  agent: async () => (await import("./agent/index.ts")).measureAgent,
  "ai-sdk": async () => (await import("./ai-sdk/index.ts")).measureAiSdk,
  sandbox: async () => (await import("./sandbox/index.ts")).measureSandbox,
  "sandbox-reuse": async () => (await import("./sandbox/reuse.ts")).measureReuse,
  "sandbox-sessions": async () => (await import("./sandbox/sessions.ts")).measureSessions,
  tasks: async () => (await import("./tasks/index.ts")).measureTasks,
  transports: async () => (await import("./trp/transports.ts")).measureTransports,
  trp: async () => (await import("./trp/index.ts")).measureTrp,
  postgres: async () => (await import("./postgres/index.ts")).measurePostgres,
  "postgres-bloat": async () => (await import("./postgres/bloat.ts")).measureBloat,
  gateway: async () => (await import("./gateway/index.ts")).measureGateway,
  "gateway-memory": async () => (await import("./gateway/memory.ts")).measureGatewayMemory,
  local: async () => (await import("./local/index.ts")).measureLocal,
  searches: async () => (await import("./local/searches.ts")).measureSearches,
};

const [what, root] = process.argv.slice(2) as [string, string];
if (what === "costs") {
  const { guardCosts } = await import("./costs/index.ts");
  process.exit((await guardCosts(root, process.argv.slice(4))) ? 0 : 1);
}
const names = what === "all" ? ["attp", "tam", "toolsxml", "tokens", "toolkit"] : [what];
for (const name of names) {
  const measure = await benchmarks[name]?.();
  if (measure === undefined) throw new TypeError(`no benchmark ${name}`);
  const found = await measure({ root, progress: (text) => console.error(`· ${name}: ${text}`) });
  console.log(printed(found));
  const text = join(root, "bench/pages", `${name}.md`);
  // The others are parts of one that has a page, looked at closer.
  if (quick || !existsSync(text)) continue;
  // Tokens depend on the commit alone.
  const about = name === "tasks" || name === "tokens" ? describeMachine(root).slice(2, 3) : describeMachine(root);
  const file = join(root, "bench/results", `${name}.md`);
  writeFileSync(file, page(readFileSync(text, "utf8"), about, { [name]: found }));
  console.error(`wrote ${file}`);
}
