import { barTable, type Findings, markdown } from "./report.ts";

const introduction = `# Benchmarks

What toolglot's parser and sandbox cost, beside the packages one would use instead, in one run on one machine. Reprint this page with

\`\`\`
npx pnpm@12.21.0 --filter bench run all
\`\`\`

(\`run attp\` and \`run sandbox\` print their part and write nothing.) Compare figures within a run; another machine gives others.`;

const method = `## How the parsers were asked to do the same work

- Every parser gets the same bodies (program text, made by \`bench/src/bodies.ts\`), each in the form that it reads and its models are asked to write, with
  the same prose before each call where the format allows any. Escaped forms are escaped by the peer's own formatter. What comes back is compared with the body
  that went in; a speed without exact bodies is worth nothing, so the tables say how many were.
- smol-toml reads documents and does not look for them: it is handed each one cut out. fast-xml-parser reads one root and refuses raw program text: it gets
  escaped bodies in a root. jsonrepair gets JSON that needs no repair, its best case.
- Streaming means: chunks of 8 characters (about two tokens each), a fresh parser, and a listener that takes in every delta; the sum of the deltas is checked.
  Parsers without a streaming interface are asked again for each longer prefix, which is what using them on a stream comes to.
- Each figure is the median of up to 9 rounds after a second of rounds that are not counted; short work is repeated within its round until that lasts
  100 ms. Garbage is collected when it comes, as part of the work. A stream that takes longer than 0.7 s is measured once: the difference it shows is larger
  than its noise.
- Prefixes that a parser without a streaming interface reads are sampled (40 of them, evenly) and the sum is scaled, since reading all would take hours.

## What is not measured

Memory; the time to the first delta; browsers, Bun and Deno; schema validation and coercion (\`@ai-sdk-tool/parser\` does it inside its parser, ours is in
\`@toolglot/schema\`); how often a model makes which slip. \`@ai-sdk-tool/parser\` has a version 5, which needs Node 22 and AI SDK 7 and is not among the peers here.`;

/** The page docs/benchmarks.md. */
export function page(machine: readonly string[], parsers: Findings, sandbox: Findings): string {
  return `${[
    introduction,
    machine.map((line) => `- ${line}`).join("\n"),
    markdown(barTable([...parsers.bars, ...sandbox.bars])).replace("### ", "## "),
    "## ATTP parser",
    ...parsers.tables.map(markdown),
    ...sandbox.tables.map((table) => markdown(table).replace("### ", "## ")),
    method,
  ].join("\n\n")}\n`;
}
