import type { Locale, ToolProtocol } from "@toolglot/core";
import { createTextProtocol } from "@toolglot/core/text";
import { checkKeys } from "@toolglot/internal";
import { actions } from "./actions.ts";
import { explainWith } from "./explain-with.ts";
import type { OneDialectProtocolOptions } from "./protocol-options.ts";
import { type DialectBook, parserOf } from "./readers.ts";
import type { Dialect, DialectRow } from "./table/types.ts";
import type { DialectBlock, DialectTool } from "./types.ts";
import { actionsIn } from "./write/actions.ts";
import { writeResults } from "./write/results.ts";
import type { WriteCalls } from "./write/serialize.ts";

const version = "dialects/1";
const ownPrompt = "dialectsPrompt of @toolglot/prompts/dialects";

/** Shows tools in a prompt. */
export type ShowTools = (dialect: DialectRow, tools: readonly DialectTool[], locale?: Locale) => string;

/** Creates a protocol over the dialects of a book. `rowOf`: their rows, by id; it refuses others. `writeIn`: writes their calls. `show`: none, they have no text for tools. */
export function protocolOf(
  book: DialectBook,
  options: OneDialectProtocolOptions & { dialect?: string | Dialect },
  rowOf: (dialect: string | Dialect) => DialectRow,
  writeIn: WriteCalls,
  show?: ShowTools,
): ToolProtocol<DialectBlock> {
  const what = "dialectProtocol";
  checkKeys(
    what,
    options,
    'dialect:string|object tools:"request"|"prompt" prompt:object locale:"zh"|"en" mode:"single"|"loop" resultBudget:count',
    book.fixed === undefined ? ["dialect"] : [],
  );
  if (book.fixed === undefined && options.dialect === undefined)
    throw new TypeError(`${what}: dialect must be "auto", the id of a dialect, or a dialect of your own.`);
  const { dialect = book.fixed ?? "auto", tools: from = "request", prompt, locale, mode, resultBudget } = options;
  const fixed = dialect === "auto" ? undefined : rowOf(dialect);
  // What is only read is answered in the plainest form.
  const first = fixed?.write ? fixed : rowOf("hermes");
  if (from === "prompt") {
    if (!show)
      throw new TypeError(
        `${what}: ${first.id} has no text for its tools: leave \`tools\` out, and let the server show them.`,
      );
    // It refuses a dialect without a text for tools, and a template, which reads no other form than its own.
    show(fixed?.engine === "template" ? fixed : first, []);
  }
  if (prompt && from !== "prompt") throw new TypeError(`${what}: prompt goes with tools: "prompt".`);
  if (prompt && prompt.forProtocol !== version)
    throw new TypeError(
      `${what}: the prompt teaches ${JSON.stringify(prompt.forProtocol)}, not "${version}": pass ${ownPrompt}.`,
    );
  let last = first;
  const protocol = createTextProtocol<DialectBlock>(
    {
      prompt: prompt ?? { forProtocol: version, build: ({ toolsText }) => toolsText },
      ...(locale && { locale }),
      ...(mode && { mode }),
      ...(resultBudget !== undefined && { maxResultChars: resultBudget }),
    },
    {
      id: fixed?.id ?? "auto",
      version,
      stop: [],
      carries: "calls",
      ownPrompt,
      renderTools: (tools, rendering) => (from === "prompt" && show ? show(first, tools, rendering.locale) : ""),
      createParser({ onEvent, tools, ...parsing }) {
        // Without a listener, what was written just now is read back.
        if (!onEvent) return parserOf(book, { ...parsing, dialect: last, ...(tools && tools.length > 0 && { tools }) });
        return parserOf(book, {
          ...parsing,
          dialect: fixed ?? "auto",
          ...(tools && { tools }),
          onEvent(event) {
            if (event.phase === "block-end" && !fixed) {
              const row = rowOf(event.block.dialect);
              if (row.write) last = row;
            }
            onEvent(event);
          },
        });
      },
      actions: (block) => actions(block),
      formatResults: (results, { locale: language, maxChars }) => writeResults(results, last, language, maxChars),
      explain: (result, how) => explainWith(result, fixed ?? rowOf(result.blocks[0]?.dialect ?? last.id), how, writeIn),
      write: (wanted, how) => actionsIn(last, writeIn)(wanted, how),
    },
  );
  if (from === "prompt") return protocol;
  return {
    ...protocol,
    declaresTools: true,
    readsText: true,
    renderTools: () => "",
    instructions: () => "",
    encodeMessages: (messages) => [...messages],
    encodeMessage: (message) => [message],
  };
}
