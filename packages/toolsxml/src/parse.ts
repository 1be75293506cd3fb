import type { Diagnostic, EndOptions, ParseResult, Parser, Segment } from "@toolglot/core";
import { checkParseOptions, createPushParser, TextScanner } from "@toolglot/core/text";
import { checkKeys, type KnownKeys } from "@toolglot/internal";
import { diagnostic, type ToolsXmlRepairCode } from "./diagnostics.ts";
import { ToolsReader } from "./scan/block-reader.ts";
import { Names } from "./scan/context.ts";
import { type Envelope, EnvelopeReader } from "./scan/envelope.ts";
import { ToolsXmlGrammar } from "./scan/grammar.ts";
import { findLostCalls } from "./scan/lost-calls.ts";
import { BodyMemory, patience } from "./scan/raw-body.ts";
import type { ToolsXmlBlock, ToolsXmlEvent, ToolsXmlParseOptions, ToolsXmlParserOptions } from "./types.ts";

/** The options of everything that reads. */
export const parseKeys: KnownKeys<ToolsXmlParseOptions> = {
  strict: true,
  maxInputLength: true,
  tools: true,
  reasoning: true,
  startsInReasoning: true,
  repairs: true,
};

/**
 * Reads all `<tools>` blocks of a whole text. Total: whatever a model wrote gives a result, with diagnostics.
 * Throws `TypeError` when `text` is no string, and for options that can't be meant.
 */
export function parse(text: string, options: ToolsXmlParseOptions = {}): ParseResult<ToolsXmlBlock> {
  checkKeys<ToolsXmlParseOptions>("parse", options, parseKeys);
  const parser = createParser(options);
  parser.feed(text);
  return parser.end();
}

/**
 * A push parser: `feed` text as it comes in, `end` gives what `parse` gives for the whole text, whatever the chunks.
 * `onEvent` is called while text comes in; a delta is given out as soon as no later text can change it.
 */
export function createParser(options: ToolsXmlParserOptions = {}): Parser<ToolsXmlBlock> {
  checkKeys<ToolsXmlParserOptions>("createParser", options, { ...parseKeys, onEvent: true });
  checkParseOptions(options);
  if (!options.tools) builtInNames ??= new Names();
  const names = options.tools || !builtInNames ? new Names(options.tools) : builtInNames;
  return createPushParser(() => makeScanner(options, names, true));
}

/** Its patterns take longer to make than a short text to read. */
let builtInNames: Names | undefined;

function makeScanner(options: ToolsXmlParserOptions, names: Names, envelopes: boolean): TextScanner<ToolsXmlBlock> {
  const { strict, repairs, onEvent } = options;
  const emit = onEvent && ((event: ToolsXmlEvent): void => onEvent(event));
  const memory = new BodyMemory();
  let found: Diagnostic[] = [];
  const allows = (code: ToolsXmlRepairCode): boolean => {
    if (strict || repairs === "none") return false;
    return typeof repairs !== "object" || repairs[code] !== false;
  };
  const scanner: TextScanner<ToolsXmlBlock> = new TextScanner<ToolsXmlBlock>({
    ...options,
    grammar: new ToolsXmlGrammar({
      callTag: names.callTag,
      block: (start, fence) =>
        new ToolsReader({
          start,
          fence,
          names,
          memory,
          allows,
          emit,
          finish: (all) => {
            found = all;
          },
        }),
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
    onText: (text) => emit?.({ phase: "text", type: "text-delta", text }),
    onReasoning: (text) => emit?.({ phase: "reasoning", type: "reasoning-delta", text }),
    onBlockStart: (start) => emit?.({ phase: "block-start", type: "tools-start", start }),
    onBlock: (block) => {
      emit?.({ phase: "block-end", type: "tools-end", block });
      // Findings are told after the block, in its order.
      for (const one of found) scanner.diagnose(one);
      found = [];
    },
    onEnd: ({ segments }) => {
      for (const one of findLostCalls(segments, names, allows("toolsxml/doubtful-close"))) scanner.diagnose(one);
    },
    onDiagnostic: (one) => emit?.({ phase: "diagnostic", type: "diagnostic", diagnostic: one }),
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
