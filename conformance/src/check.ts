import { isDeepStrictEqual } from "node:util";
import {
  type BlockBase,
  type EndOptions,
  isRunnable,
  type ParseOptions,
  type ParseResult,
  type Parser,
  type ProtocolEvent,
  type Span,
} from "@toolglot/core";
import { type ChunkingOptions, chunkings } from "./chunking.ts";
import { differences } from "./compare.ts";
import { coalesce, type DeltaReading, eventDifferences, type Recording } from "./events.ts";
import { expandText, type Vector } from "./vector.ts";

/** A protocol package as the suite sees it. Every protocol's test file makes one of these. */
export interface Implementation<Block extends BlockBase, Event extends ProtocolEvent<Block> = ProtocolEvent<Block>>
  extends DeltaReading<Block, Event> {
  /** The folder under `vectors/`: `attp`, `tam`, `toolsxml`. */
  protocol: string;
  parse(text: string, options: ParseOptions): ParseResult<Block>;
  createParser(options: ParseOptions & { onEvent: (event: Event) => void }): Parser<Block>;
  /** Gets the tools that the block was read with. */
  serialize(block: Block, options: Pick<ParseOptions, "tools">): string;
  /** What of a block has to survive `parse(serialize(block))`. */
  essence(block: Block): unknown;
  /** The parts of a block that have spans: those have to lie inside the block's. */
  parts?(block: Block): readonly { span: Span }[];
}

interface Run<Block, Event> {
  result: ParseResult<Block>;
  recording: Recording<Event>;
}

/** Everything that is wrong with how an implementation reads a vector, in any chunking. */
export function failures<Block extends BlockBase, Event extends ProtocolEvent<Block>>(
  implementation: Implementation<Block, Event>,
  vector: Vector,
  chunking: ChunkingOptions = {},
): string[] {
  const source = expandText(vector.input);
  const options = vector.options ?? {};
  const whole = run(implementation, [source], options, vector.end);
  const found = [
    ...differences(vector, source, whole.result),
    ...shapeDifferences(implementation, source, whole.result, vector.expect.encodedText),
    ...eventDifferences(whole.recording, whole.result, implementation),
    // No protocol's text can hold a lone surrogate, so `serialize` refuses one.
    ...(/\p{Surrogate}/u.test(source) ? [] : roundTripDifferences(implementation, whole.result, vector)),
  ];
  if (!vector.end && !isDeepStrictEqual(implementation.parse(source, options), whole.result))
    found.push("parse() differs from feed() and end()");
  for (const { name, chunks } of chunkings(source, chunking)) {
    const other = run(implementation, chunks, options, vector.end);
    if (!isDeepStrictEqual(other.result, whole.result))
      found.push(`${name}: the result differs from that of one chunk`);
    if (!isDeepStrictEqual(other.recording, whole.recording))
      found.push(`${name}: the events differ from those of one chunk`);
    if (found.length > 12) break;
  }
  return found;
}

function run<Block extends BlockBase, Event extends ProtocolEvent<Block>>(
  implementation: Implementation<Block, Event>,
  chunks: readonly string[],
  options: ParseOptions,
  end: EndOptions | undefined,
): Run<Block, Event> {
  const events: Event[] = [];
  const parser = implementation.createParser({ ...options, onEvent: (event) => events.push(event) });
  for (const chunk of chunks) parser.feed(chunk);
  const result = parser.end(end);
  return { result, recording: coalesce<Block, Event>(events, implementation) };
}

/** What holds for every text: segments in order and apart, spans inside the text, text segments that are the source. */
function shapeDifferences<Block extends BlockBase, Event extends ProtocolEvent<Block>>(
  { parts = () => [] }: Implementation<Block, Event>,
  source: string,
  result: ParseResult<Block>,
  encodedText: boolean | undefined,
): string[] {
  const found: string[] = [];
  let at = 0;
  for (const segment of result.segments) {
    const { start, end } = segment.span;
    if (start < at || end < start || end > source.length) found.push(`segment ${start}–${end} after ${at}`);
    at = end;
    if (segment.type === "text" && !encodedText && segment.text !== source.slice(start, end))
      found.push(`text segment ${start}–${end} is not the source text`);
    if (segment.type !== "block") continue;
    const { span } = segment.block;
    if (span.start < start || span.end > end) found.push(`the block at ${span.start} is outside its segment`);
    for (const { span: inner } of parts(segment.block)) {
      if (inner.start < span.start || inner.end < inner.start || inner.end > span.end)
        found.push(`the part at ${inner.start}–${inner.end} is outside its block at ${span.start}–${span.end}`);
    }
  }
  const inSegments = result.segments.flatMap((segment) => (segment.type === "block" ? [segment.block] : []));
  if (!isDeepStrictEqual(inSegments, result.blocks)) found.push("blocks differ from the segments' blocks");
  for (const { code, span } of result.diagnostics) {
    if (span.start < 0 || span.end < span.start || span.end > source.length)
      found.push(`${code} spans ${span.start}–${span.end}, outside the text`);
  }
  return found;
}

function roundTripDifferences<Block extends BlockBase, Event extends ProtocolEvent<Block>>(
  { serialize, parse, essence }: Implementation<Block, Event>,
  result: ParseResult<Block>,
  { options = {}, expect }: Vector,
): string[] {
  const { maxInputLength: _, startsInReasoning: __, ...rest } = options;
  return result.blocks.filter(isRunnable).flatMap((block, index) => {
    let text: string;
    try {
      text = serialize(block, options.tools ? { tools: options.tools } : {});
    } catch (error) {
      return expect.mayNotSerialize && error instanceof TypeError ? [] : [`serialize refuses block ${index}: ${error}`];
    }
    const again = parse(text, rest).blocks;
    return again.length === 1 && isDeepStrictEqual(essence(again[0] as Block), essence(block))
      ? []
      : [`block ${index} does not survive parse(serialize(block)): ${JSON.stringify(again.map(essence))}`];
  });
}
