/** The text layer, for those who write a protocol: one scan for fences, reasoning, inline code and made-up results. */

export { type CallFormat, callFormats, type TextProtocol } from "./text/call-formats.ts";
export { EventStream, type ParserMaker, streamEvents } from "./text/event-stream.ts";
export { closesFence, type Fence, openFence } from "./text/fence.ts";
export type { LineProbe } from "./text/marks.ts";
export { checkParseOptions, createPushParser, type KnownParseOptions } from "./text/push-parser.ts";
export { Source } from "./text/source.ts";
export { createTextProtocol, type TextProtocolParts, textHash } from "./text/text-protocol.ts";
export {
  type BlockEnd,
  type BlockGrammar,
  type BlockReader,
  type InlineProbe,
  type ProbeAnswer,
  type SegmentsEnd,
  TextScanner,
  type TextScannerOptions,
} from "./text/text-scanner.ts";
