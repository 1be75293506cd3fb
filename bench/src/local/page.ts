import { type Findings, findingsPage } from "../report.ts";

const introduction = `# Benchmarks of the local tools

What a shell command, an edit, a search and the masking of secrets cost, compared with simpler ways that promise less, in one run on one machine. Reprint
this page with

\`\`\`
npx pnpm@12.21.0 --filter bench run local
\`\`\`

Compare figures within a run; another machine gives other figures.`;

/** The page bench/results/local.md. */
export function localPage(machine: readonly string[], findings: Findings): string {
  return findingsPage(introduction, machine, findings);
}
