import type { EndOptions, ParseResult, Parser, Segment } from "@toolglot/core";
import { allowsRepair, checkParseOptions, createPushParser, TextScanner } from "@toolglot/core/text";
import { diagnostic, type ToolsXmlRepairCode } from "./diagnostics.ts";
import { ToolsReader } from "./scan/block-reader.ts";
import { BodyMemory } from "./scan/body-context.ts";
import { type Envelope, EnvelopeReader } from "./scan/envelope.ts";
import { Names, ToolsXmlGrammar } from "./scan/grammar.ts";
import { findLostCall } from "./scan/lost-calls.ts";
import { patience } from "./scan/raw-body.ts";
import type { ToolsXmlBlock, ToolsXmlEvent, ToolsXmlParseOptions, ToolsXmlParserOptions } from "./types.ts";

/**
 * Reads all `<tools>` blocks of a whole text. Total: there is a result for whatever a model wrote, with diagnostics.
 * Throws `TypeError` when `text` is no string, and for options that can't be meant.
 *
 * @example
 * ```ts
 * const answer = '<tools><command timeout="60">npm test && echo "a < b"</command></tools>';
 * const [block] = parse(answer).blocks;
 * const call = block?.calls[0]; // { tool: "command", script: 'npm test && echo "a < b"', timeoutMs: 60_000, … }
 * ```
 */
export function parse(text: string, options: ToolsXmlParseOptions = {}): ParseResult<ToolsXmlBlock> {
  checkParseOptions("parse", options);
  const parser = createParser(options);
  parser.feed(text);
  return parser.end();
}

/**
 * Creates a push parser: `feed` text as it comes in; `end` returns what `parse` does for the whole text, whatever the chunks.
 * `onEvent` is called while text comes in; a delta is emitted as soon as no later text can change it.
 *
 * @example
 * ```ts
 * const parser = createParser({
 *   onEvent(event) {
 *     if (event.type === "body-delta") deltas.push(event.text);
 *   },
 * });
 * for (const chunk of chunks) parser.feed(chunk);
 * const { blocks } = parser.end({ finish: "stop" });
 * ```
 */
export function createParser(options: ToolsXmlParserOptions = {}): Parser<ToolsXmlBlock> {
  checkParseOptions("createParser", options, ["onEvent:function"]);
  builtInNames ??= new Names();
  const own = builtInNames;
  const names = options.tools?.length ? new Names(options.tools) : own;
  return createPushParser((given) => makeScanner(given ?? options, given ? own : names, true), sample);
}

/** What `createPushParser` keeps alive is made of it: most of a block, up to the middle of a value. */
const sample = `Hi

<tools>
<edit><file src="x"><find>
x
</find><replace>
y`;

/** Its patterns take longer to make than a short text to read. */
let builtInNames: Names | undefined;

function makeScanner(options: ToolsXmlParserOptions, names: Names, envelopes: boolean): TextScanner<ToolsXmlBlock> {
  const { onEvent: emit } = options;
  const memory = new BodyMemory();
  const allows = (code: ToolsXmlRepairCode): boolean => allowsRepair(options, code);
  const scanner: TextScanner<ToolsXmlBlock> = new TextScanner<ToolsXmlBlock>({
    ...options,
    grammar: new ToolsXmlGrammar({
      names,
      block: (start, fence) => new ToolsReader({ start, fence, names, memory, allows, emit }),
      envelope: envelopes
        ? (start, late) =>
            memory.reread < patience &&
            new EnvelopeReader(start, late, memory, (envelope) =>
              readEnvelope(
                envelope,
                scanner,
                allows("toolsxml/json-envelope"),
                (text, end) => {
                  const events: ToolsXmlEvent[] = [];
                  const inner = makeScanner({ ...options, onEvent: (event) => events.push(event) }, names, false);
                  inner.feed(text);
                  return { result: inner.end(end), events };
                },
                emit,
              ),
            )
        : undefined,
    }),
    onEnd: ({ segments }) => {
      const repairs = allows("toolsxml/doubtful-close");
      for (const [index, segment] of segments.entries()) {
        if (segment.type !== "text" || !segment.text.includes("<")) continue;
        const lost = findLostCall(segment, segments[index - 1], names, repairs);
        if (lost) scanner.diagnose(lost);
      }
    },
  });
  return scanner;
}

type ReadInner = (
  text: string,
  end: EndOptions | undefined,
) => { result: ParseResult<ToolsXmlBlock>; events: ToolsXmlEvent[] };

/** Segments of an envelope: `reply` is text, `tools` is read like a message. Spans inside cover its string. */
function readEnvelope(
  envelope: Envelope,
  scanner: TextScanner<ToolsXmlBlock>,
  repairs: boolean,
  readInner: ReadInner,
  emit: ((event: ToolsXmlEvent) => void) | undefined,
): Segment<ToolsXmlBlock>[] {
  const { span, reply, tools, end, repaired } = envelope;
  const pieces: { at: number; segments: Segment<ToolsXmlBlock>[]; events: ToolsXmlEvent[] }[] = [];
  if (reply && (reply.text !== "" || !tools))
    pieces.push({
      at: reply.span.start,
      segments: [{ type: "text", text: reply.text, span: { ...reply.span } }],
      events: reply.text === "" ? [] : [{ phase: "text", type: "text-delta", text: reply.text }],
    });
  if (tools) {
    const { result, events } = readInner(tools.text, end);
    const alone = result.segments.length === 1;
    // With several segments each has its part of the string; what is in a block spans the block.
    for (const segment of result.segments) {
      const part = alone ? tools.span : segment.span;
      segment.span = alone ? { ...part } : { start: tools.place(part.start), end: tools.place(part.end) };
      if (segment.type !== "block") continue;
      const { block } = segment;
      if (repaired && (!repairs || block.status === "complete")) block.status = repairs ? "recovered" : "invalid";
      for (const one of [block, ...block.calls, ...block.comments, block.truncatedCall ?? block])
        one.span = { ...segment.span };
    }
    for (const one of result.diagnostics) one.span = { ...tools.span };
    let block = 0;
    for (const event of events)
      if (event.type === "tools-start") event.start = result.blocks[block++]?.span.start ?? tools.span.start;
    pieces.push({ at: tools.span.start, segments: result.segments, events });
  }
  pieces.sort((a, b) => a.at - b.at);
  const segments = pieces.flatMap((piece) => piece.segments);
  if (segments.length === 0) segments.push({ type: "text", text: "", span: { ...span } });
  // Segments cover the object without a gap.
  segments.forEach((segment, index) => {
    const { start } = segment.span;
    if (index > 0) (segments[index - 1] as Segment<ToolsXmlBlock>).span.end = start;
  });
  (segments[0] as Segment<ToolsXmlBlock>).span.start = span.start;
  (segments.at(-1) as Segment<ToolsXmlBlock>).span.end = span.end;
  if (repaired)
    scanner.diagnose(
      diagnostic("toolsxml/json-envelope", span.start, span.end, repairs ? undefined : { severity: "error" }),
    );
  for (const piece of pieces)
    for (const event of piece.events)
      if (event.type === "diagnostic") scanner.diagnose(event.diagnostic);
      else emit?.(event);
  return segments;
}
