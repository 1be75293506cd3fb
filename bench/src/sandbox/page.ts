import { type Findings, findingsPage } from "../report.ts";

const introduction = `# Benchmarks of the sandbox

What a start, a run and a tool call cost in Python and in JavaScript, compared with the alternatives, in one run on one machine. Reprint
this page with

\`\`\`
npx pnpm@12.21.0 --filter bench run sandbox
\`\`\`

Compare figures within a run; another machine gives other figures.`;

/** The page bench/results/sandbox.md. */
export function sandboxPage(machine: readonly string[], findings: Findings): string {
  return findingsPage(introduction, machine, findings);
}
