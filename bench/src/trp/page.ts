import { type Findings, findingsPage } from "../report.ts";

const introduction = `# Benchmarks of the router

What a call costs that goes through the TRP (Tool Router Protocol) router, beside the official MCP client and server and a
bare JSON echo, in one run on one machine. Reprint this page with

\`\`\`
npx pnpm@12.21.0 --filter bench run trp
\`\`\`

Compare figures within a run; another machine gives others.`;

const method = `## How it was measured

- Callers ask again as soon as they have their answer. Windows of 0.6 s go round all rows of a table in turn, five times, after one
  that isn't counted; calls/s is the median window, p50 and p99 are over all calls of all windows.
- Every answer is compared with what it has to be.
- All rows of a table validate the same three short strings and return the same line. The MCP server does it with zod, the
  router with its default engine.
- "CPU here" is the processor time of the measuring process, per call: in process that is everything, over HTTP the client alone.
- MCP over HTTP is the way its SDK recommends: a handler that makes a server per request, without sessions, JSON answers. It is the slowest
  form of the protocol: with sessions the same SDK answers faster.`;

/** The page docs/benchmarks-trp.md. */
export function trpPage(machine: readonly string[], findings: Findings): string {
  return findingsPage(introduction, machine, findings, method);
}
