import { type Findings, findingsPage } from "../report.ts";

const introduction = `# Benchmarks of whole tasks

What tools cost a model in tokens: as native calls, behind TRP's (Tool Router Protocol) one tool \`router\`, and as functions of
programs (code mode). Reprint this page with

\`\`\`
npx pnpm@12.21.0 --filter bench run tasks
\`\`\`

The figures depend on no machine: the same commit gives the same ones.`;

const method = `## What the figures say, and what they don't

- Programs pay where a task has many calls, or calls that need each other: the results between stay in the sandbox. They cost more
  than native calls where one call is enough, because their prompt is longer. The rows of each group say by how much.
- The same program costs least as the call of a tool, or in ATTP with \`--mode single\`, where its value is the answer. ATTP with results that go back
  (\`--mode loop\`, the demo's default) teaches a whole format and asks for a thought in every answer; that is paid twice in a task of one
  program. It is for models without native calls.
- The tool \`router\` shows one sentence of each capability: a model that has to know more asks for a description first, and
  the scripts do so before they write SQL. With six capabilities that costs more than it saves; the first table says from which number
  of tools it is the other way round.
- Native calls that don't need each other stand in one answer, as the best models do it. The scripts make no mistakes, so nothing is
  repeated in any way, and what a model writes besides its calls is counted for ATTP alone, whose prompt asks for it.
- Whether a model writes these programs is not measured.`;

/** The page bench/results/tasks.md. */
export function tasksPage(machine: readonly string[], findings: Findings): string {
  return findingsPage(introduction, machine, findings, method);
}
