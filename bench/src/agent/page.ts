import { type Findings, findingsPage } from "../report.ts";

const introduction = `# Benchmarks of the agent's loop

The cost of the loop itself in long runs: processor time and memory by the number of turns, compared with AI SDK's \`ToolLoopAgent\`, in one run on
one machine. The model is scripted, and the tool returns a text of 20 kB. Reprint this page with

\`\`\`
npx pnpm@12.21.0 --filter bench run agent
\`\`\`

Compare figures within a run; another machine gives other figures.`;

/** The page bench/results/agent.md. */
export function agentPage(machine: readonly string[], findings: Findings): string {
  return findingsPage(introduction, machine, findings);
}
