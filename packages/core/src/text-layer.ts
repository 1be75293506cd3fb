/** The text layer, for those who write a protocol: one scan for fences, reasoning, inline code and made-up results. */

export {
  fitsSchema,
  kindCount,
  kindsOf,
  memberNames,
  memberSchema,
  type SchemaKind,
  simpleKinds,
} from "./schema-kinds.ts";
export type {
  BlockEnd,
  BlockGrammar,
  BlockReader,
  InlineProbe,
  LineProbe,
  ProbeAnswer,
  SegmentsEnd,
  TextScannerOptions,
  Trace,
} from "./text/block-grammar.ts";
export { type CallFormat, type CallMark, callFormats, type TextProtocol } from "./text/call-formats.ts";
export { type CallSearch, everyCall } from "./text/call-search.ts";
export { closesFence, type Fence, openFence, sentIn } from "./text/code.ts";
export { chunksOf, EventStream, type ParserMaker, streamEvents } from "./text/event-stream.ts";
export { boundFindings, makeDiagnostic } from "./text/findings.ts";
export { foreignCloser } from "./text/foreign-closer.ts";
export { type ActionWriter, actionCalls, exactJsonText, withText } from "./text/format-actions.ts";
export { type LeakedCall, leakedCalls } from "./text/leaked-calls.ts";
export {
  allowsRepair,
  checkParseOptions,
  createPushParser,
  isCutOff,
} from "./text/push-parser.ts";
export type { Source } from "./text/source.ts";
export { textHash } from "./text/source.ts";
export {
  createTextProtocol,
  type TextProtocolOptions,
  type TextProtocolParts,
} from "./text/text-protocol.ts";
export { TextScanner } from "./text/text-scanner.ts";
export { asKey, asTag } from "./text/unread.ts";
