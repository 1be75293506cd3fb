import { type Findings, findingsPage } from "../report.ts";

const introduction = `# Benchmarks of the agent's loop

What the loop itself takes in long runs: processor time and memory by the number of turns, beside AI SDK's \`ToolLoopAgent\`, in one run on
one machine. The model plays a script, and the tool gives a text of 20 kB. Reprint this page with

\`\`\`
npx pnpm@12.21.0 --filter bench run agent
\`\`\`

Compare figures within a run; another machine gives others.`;

/** The page docs/benchmarks-agent.md. */
export function agentPage(machine: readonly string[], findings: Findings): string {
  return findingsPage(introduction, machine, findings);
}
