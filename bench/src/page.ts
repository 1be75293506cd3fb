import { barTable, type Findings, markdown } from "./report.ts";

/** What each part of the benchmark found. */
export type Measured = Record<"attp" | "tam" | "toolsxml" | "slips" | "tokens" | "toolkit", Findings>;

const introduction = `# Benchmarks

What toolglot's parsers and toolkit cost, how often parsers are silently wrong, and what the formats cost in tokens, compared with other packages
and formats, in one run on one machine. Reprint this page with

\`\`\`
npx pnpm@12.21.0 --filter bench run all
\`\`\`

(\`run attp\`, \`run tam\`, \`run toolsxml\`, \`run slips\`, \`run tokens\` and \`run toolkit\` print their part and write nothing.) Compare figures within a run; another
machine gives other figures. Slips and tokens do not depend on the machine.`;

const slips = `## Slips: how often a parser is silently wrong

A slip is a small mistake of a model. A case is a text that a model may have written, with the meaning that the model intended. The cases are generated, not collected: a correct output is changed in one of the ways below, which
public threads report, on every body of \`bench/src/slips/bodies.txt\` (programs in several languages, shell with redirections and heredocs, HTML, JSX, generics, JSON, git
conflict markers, Markdown with fences, Chinese, docs of the formats themselves). The same seed makes the same cases in every run. The reading is compared with the intended meaning:

- **exact**: the intended call runs, or nothing runs if none was intended, without a finding.
- **recovered**: the intended call runs, with a warning or an error.
- **held**: a value is not the intended one, but a diagnostic says that the value may be wrong (\`affects: "value"\`), so the agent's loop does not run it without a question.
- **refused**: the intended call does not run, or not all of it; nothing else runs; and a warning or an error reports it.
- silently wrong, **wrong**: a call runs that was not intended, or with another value, without a finding; or the text gives another reading in chunks than at once.
- silently wrong, **lost**: an intended call does not run, without a finding.

A text that is exactly a correct output with another meaning is left out. Strict readers find such texts: for ATTP a reader by TOML 1.0, for the others a
reader that knows only what the format's writers write. Our parsers read each case at once and in chunks of 1 to 12 characters, with the tools declared; a TAM step counts as
run when \`bindPlan\` gives it no error.`;

const method = `## How the parsers were asked to do the same work

- Every parser gets the same bodies (program text, made by \`bench/src/bodies.ts\`), each in the form that it reads and its models are asked to write, with
  the same prose before each call where the format allows any. The peer's own formatter escapes escaped forms. The returned body is compared with the original
  body; a speed without exact bodies is worth nothing, so the tables say how many were exact.
- ToolsXML is compared with parsers that read the same text: partial-xml-stream-parser, configured so that \`command\` is a stop node, and \`@ai-sdk-tool/parser\` with a tool
  \`tools\` that has a parameter \`command\`, where there is one call. They don't know the other tags and rules.
- smol-toml reads documents but does not find them: it gets each document alone. fast-xml-parser reads one root and refuses raw program text: it gets
  escaped bodies in a root. jsonrepair gets JSON that needs no repair, its best case.
- Streaming means: chunks of 8 characters (about two tokens each), a fresh parser, and a listener that receives every delta; the sum of the deltas is checked.
  Parsers without a streaming interface read each longer prefix again, because that is how a program would use them on a stream.
- Each figure is the median of up to 9 rounds after a second of rounds that are not counted; short work is repeated within its round until that lasts
  100 ms. Garbage is collected when it comes, as part of the work. A stream that takes longer than 0.7 s is measured once: its difference is larger
  than the noise.
- For parsers without a streaming interface, 40 evenly spaced prefixes are read and the sum is scaled, because reading all would take hours.

## What is not measured

Memory; the time to the first delta; browsers, Bun and Deno; schema validation and coercion (\`@ai-sdk-tool/parser\` does it inside its parser, ours is in
\`@toolglot/schema\`); how often models make each slip. \`@ai-sdk-tool/parser\` has a version 5, which needs Node 22 and AI SDK 7 and is not among the peers here.`;

const titles = { attp: "ATTP parser", tam: "TAM parser", toolsxml: "ToolsXML parser" } as const;

const sections = ({ tables }: Findings): string[] => tables.map((table) => markdown(table).replace("### ", "## "));

/** The page bench/results/parsers.md. */
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
