import { type Findings, findingsPage } from "../report.ts";

const introduction = `# Benchmarks of the router

What a call through the TRP (Tool Router Protocol) router costs, compared with the official MCP client and server and a
plain JSON echo, in one run on one machine. Reprint this page with

\`\`\`
npx pnpm@12.21.0 --filter bench run trp
\`\`\`

Compare figures within a run; another machine gives other figures.`;

const method = `## How it was measured

- Callers send the next call as soon as they have their answer. Windows of 0.6 s rotate through all rows of a table, five times, after one
  uncounted round; calls/s is the median window, p50 and p99 are over all calls of all windows.
- Every answer is compared with the expected one.
- All rows of a table validate the same three short strings and return the same line. The MCP server does it with zod, the
  router with its default engine.
- "CPU here" is the processor time of the measuring process, per call: in process that is everything, over HTTP the client alone.
- MCP over HTTP is used as its SDK recommends: a handler that makes a server per request, without sessions, with JSON answers. This is the slowest
  form of the protocol: with sessions the same SDK answers faster.`;

/** The page bench/results/trp.md. */
export function trpPage(machine: readonly string[], findings: Findings): string {
  return findingsPage(introduction, machine, findings, method);
}
