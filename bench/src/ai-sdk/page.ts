import { type Findings, findingsPage } from "../report.ts";

const introduction = `# Benchmarks of the AI SDK's middleware

What it costs to read calls in text inside the AI SDK, from the provider's stream to the tool call, compared with the middleware of
\`@ai-sdk-tool/parser\`, each in its own formats, in one run on one machine. Reprint this page with

\`\`\`
npx pnpm@12.21.0 --filter bench run ai-sdk
\`\`\`

Compare figures within a run; another machine gives other figures.`;

/** The page bench/results/ai-sdk.md. */
export function aiSdkPage(machine: readonly string[], findings: Findings): string {
  return findingsPage(introduction, machine, findings);
}
