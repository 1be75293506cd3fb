import { barTable, type Findings, markdown } from "./report.ts";

/** What each part of the benchmark found. */
export type Measured = Record<"attp" | "tam" | "toolsxml" | "slips" | "tokens" | "toolkit", Findings>;

const introduction = `# Benchmarks

What toolglot's parsers and toolkit cost, how often parsers are silently wrong, and what the formats cost in tokens, beside the packages and formats one would use
instead, in one run on one machine. Reprint this page with

\`\`\`
npx pnpm@12.21.0 --filter bench run all
\`\`\`

(\`run attp\`, \`run tam\`, \`run toolsxml\`, \`run slips\`, \`run tokens\` and \`run toolkit\` print their part and write nothing.) Compare figures within a run; another
machine gives others. Slips and tokens do not depend on the machine.`;

const slips = `## Slips: how often a parser is silently wrong

A case is a text that a model may have written, with what it meant. The cases are made, not collected: a right output is changed in one of the ways below, each of
which public threads report, on every body of \`bench/src/slips/bodies.txt\` (programs in several languages, shell with redirections and heredocs, HTML, JSX, generics, JSON, git
conflict markers, Markdown with fences, Chinese, docs of the formats themselves). The same seed makes the same cases in every run. The reading is compared with what was meant:

- **exact**: what was meant runs, or nothing where nothing was meant, and there was nothing to say.
- **recovered**: what was meant runs, with a warning or an error.
- **held**: a value is not what was meant, but a diagnostic says that it may be (\`affects: "value"\`), so that the agent's loop does not run it unasked.
- **refused**: what was meant does not run, or not all of it; nothing else does; and a warning or an error says so.
- silently wrong, **wrong**: a call runs that was not meant, or with another value, unmarked; or the text gives another reading in chunks than at once.
- silently wrong, **lost**: a call that was meant does not run, and nothing says so.

A text that is, to the letter, a right output with another meaning decides nothing and is left out. That is found by strict readers: for ATTP what TOML 1.0 says, for the others a
reader that knows only what the format's writers write. Our parsers read each case at once and in chunks of 1 to 12 characters, with the tools declared; a TAM step counts as
run when \`bindPlan\` gives it no error.`;

const method = `## How the parsers were asked to do the same work

- Every parser gets the same bodies (program text, made by \`bench/src/bodies.ts\`), each in the form that it reads and its models are asked to write, with
  the same prose before each call where the format allows any. Escaped forms are escaped by the peer's own formatter. What comes back is compared with the body
  that went in; a speed without exact bodies is worth nothing, so the tables say how many were.
- Beside ToolsXML stand parsers that read the very same text: partial-xml-stream-parser, told that \`command\` is a stop node, and \`@ai-sdk-tool/parser\` with a tool
  \`tools\` that has a parameter \`command\`, where there is one call. They know nothing of the other tags and rules.
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

const titles = { attp: "ATTP parser", tam: "TAM parser", toolsxml: "ToolsXML parser" } as const;

const sections = ({ tables }: Findings): string[] => tables.map((table) => markdown(table).replace("### ", "## "));

/** The page docs/benchmarks.md. */
export function page(machine: readonly string[], measured: Measured): string {
  const bars = Object.values(measured).flatMap((found) => found.bars);
  const speed = (["attp", "tam", "toolsxml"] as const).flatMap((id) => [
    `## ${titles[id]}`,
    ...measured[id].tables.map(markdown),
  ]);
  return `${[
    introduction,
    machine.map((line) => `- ${line}`).join("\n"),
    markdown(barTable(bars)).replace("### ", "## "),
    ...speed,
    slips,
    ...measured.slips.tables.map(markdown),
    "## Tokens",
    ...measured.tokens.tables.map(markdown),
    ...sections(measured.toolkit),
    method,
  ].join("\n\n")}\n`;
}
