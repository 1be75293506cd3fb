import { type Findings, findingsPage } from "../report.ts";

const introduction = `# Benchmarks of the router's transports

What the same read costs over every transport of TRP (Tool Router Protocol), on a memory store and on SQLite with \`synchronous=FULL\`,
beside the official MCP client and server and a plain JSON echo, in one run on one machine. Reprint this page with

\`\`\`
npx pnpm@12.21.0 --filter bench run transports
\`\`\`

Compare figures within a run; another machine gives other figures.`;

const method = `## How it was measured

- Callers send the next call as soon as they have their answer. Windows of 0.6 s rotate through all rows, five times, after one
  uncounted round; calls/s is the median window, p50 and p99 are over all calls of all windows.
- Every answer is compared with the expected one. All rows validate the same three short strings and return the same line.
- "CPU here" is the processor time of the measuring process, per call: in process that is everything, elsewhere the client alone.
- *MCP, stateless*: a handler that makes a server per request, as its SDK recommends; *session*: one server and transport for each
  session, with JSON answers. Neither keeps sessions, order, policy or audit on a disk.`;

/** The page bench/results/transports.md. */
export function transportsPage(machine: readonly string[], { tables }: Findings): string {
  return findingsPage(introduction, machine, { bars: [], tables }, method);
}
