import { type Diagnostic, type EndOptions, isRunnable, type ParseResult, type ToolCall } from "@toolglot/core";
import { chunksOf } from "@toolglot/core/text";
import { CallIds } from "./actions.ts";
import { checkDialectOptions, type DialectBook, parserOf } from "./readers.ts";
import type { DialectId } from "./table/ids.ts";
import { ToolSet } from "./tools.ts";
import type { DialectBlock, DialectParseOptions, DialectTool } from "./types.ts";

/** What was recovered from a text. */
export interface Recovered {
  /** Calls that may run, in order. */
  calls: ToolCall[];
  /** Calls whose values may be not those that the model meant, of tools that are not `readOnlyHint`: ask before you run them. */
  held: ToolCall[];
  /** The visible text, without calls and marks. */
  text: string;
  reasoning: string;
  /** Dialects of the calls, each once. */
  dialects: (DialectId | (string & {}))[];
  blocks: DialectBlock[];
  diagnostics: Diagnostic[];
}

/** Options of `recoverToolCalls`. */
export interface RecoverOptions extends Omit<DialectParseOptions, "tools">, EndOptions {}

/** A text, or its chunks. */
export type Chunks = AsyncIterable<string> | ReadableStream<string>;

/** Recovers calls by the dialects of a book. */
export function recoverWith(
  book: DialectBook,
  source: string | Chunks,
  tools: readonly DialectTool[] | undefined,
  options: RecoverOptions,
): Recovered | Promise<Recovered> {
  const what = "recoverToolCalls";
  checkDialectOptions(book, what, options, ['finish:"calls"|"stop"|"length"|"filter"|"error"', "stopSequence:string"]);
  const { finish, stopSequence, ...parsing } = options;
  const ending = { ...(finish && { finish }), ...(stopSequence !== undefined && { stopSequence }) };
  const parser = parserOf(book, { ...parsing, ...(tools && { tools }) });
  const known = new ToolSet(tools);
  if (typeof source === "string") {
    parser.feed(source);
    return recovered(parser.end(ending), source, known);
  }
  return (async () => {
    let text = "";
    for await (const chunk of chunksOf(source)) {
      parser.feed(chunk);
      text += chunk;
    }
    return recovered(parser.end(ending), text, known);
  })();
}

function recovered(
  { segments, blocks, diagnostics }: ParseResult<DialectBlock>,
  source: string,
  tools: ToolSet,
): Recovered {
  const calls: ToolCall[] = [];
  const held: ToolCall[] = [];
  const ids = new CallIds();
  const doubts = diagnostics.filter(({ affects }) => affects === "value");
  for (const block of blocks) {
    if (!isRunnable(block)) continue;
    for (const call of ids.callsOf(block)) {
      const { start, end } = call.span ?? block.span;
      const isDoubtful = doubts.some(({ span }) => span.start < end && span.end > start);
      const isHeld = isDoubtful && tools.get(call.name)?.annotations?.readOnlyHint !== true;
      (isHeld ? held : calls).push(call);
    }
  }
  let text = "";
  let reasoning = "";
  for (const [at, segment] of segments.entries()) {
    const next = segments[at + 1];
    const { start, end } = segment.span;
    // What is shown is text, with the line breaks before it.
    if (segment.type === "text" && segment.text !== "" && next?.type === "block" && next.block.shown)
      text += source.slice(start, end);
    else if (segment.type === "text") text += segment.text;
    else if (segment.type === "reasoning") reasoning += segment.text;
    else if (segment.type === "block" && segment.block.shown) text += source.slice(start, end);
  }
  return {
    calls,
    held,
    text,
    reasoning,
    dialects: [...new Set(blocks.map(({ dialect }) => dialect))],
    blocks,
    diagnostics,
  };
}
