// What every package needs once. Private: each build takes in what it uses, so nobody installs this.
export { equal, isTypeError, like, rejects, truth } from "./assert.ts";
export {
  andThen,
  ignoreRejection,
  inBackground,
  isThenable,
  maxTimerMs,
  onAbort,
  settleWithin,
  unsettled,
  untilAborted,
  whenDone,
} from "./async.ts";
export { allowing, attempt, codeOf, ignoring } from "./attempt.ts";
export { ByteLines, type LineTaker } from "./byte-lines.ts";
export {
  fromBase64,
  joinBytes,
  randomHex,
  textDigest,
  toBase64,
  toHex,
  uuidV7,
  uuidV7Time,
} from "./bytes.ts";
export {
  asPattern,
  invisible,
  isBlank,
  isDressed,
  isInvisible,
  isLineSpace,
  isSeen,
  isSpace,
  isUnseen,
  lastLineBreak,
  lineEnd,
  matchAt,
  matchesOf,
  withoutInvisible,
} from "./characters.ts";
export { checkKeys, gotText, type KnownKeys } from "./check-keys.ts";
export { columnText, textOfColumn } from "./column-text.ts";
export type { DiagnosticChange, DiagnosticText } from "./diagnostic-text.ts";
export { displayWidth } from "./display-width.ts";
export { errorText } from "./error-text.ts";
export { type FunctionShape, readFunctionShape } from "./function-shape.ts";
export { describeValue, joinPath, maxIssues, standardIssues, typeOf } from "./issue-text.ts";
export {
  atPointer,
  canonicalJson,
  copyJson,
  type Defined,
  defined,
  isCount,
  isJson,
  isObject,
  parseJson,
  quoteJson,
} from "./json.ts";
export {
  andFinally,
  asPromise,
  flat,
  merged,
  orRejected,
  removeFrom,
  settleSoon,
  sharedGetter,
  unlessGivenUp,
} from "./lean.ts";
export { clockSince, keepLease, type Lease, type LeaseLoss } from "./lease.ts";
export { Limiter, type PlaceRequest, type Refusal, type Release } from "./limiter.ts";
export { nearest } from "./nearest.ts";
export { isNestedDeeper } from "./nesting.ts";
export { quoteWord } from "./quote-word.ts";
export { retryAfter } from "./retry-after.ts";
export { SenderContext } from "./sender-context.ts";
export { TextReader } from "./text-reader.ts";
export { addReported, addUsage } from "./usage.ts";
export { visibleText } from "./visible-text.ts";
export { isGeneratorFunction, sleep, streamed } from "./waits.ts";
export { pointerSteps, valueAt, wholeResult } from "./whole-result.ts";
export { matchWildcard, wildcardTest } from "./wildcard.ts";
