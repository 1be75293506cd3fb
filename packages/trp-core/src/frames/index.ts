/**
 * The frames of TRP (Tool Router Protocol), version 0.1: schemas to check them, JSON Schemas to publish them, and the
 * reading of requests.
 */

export { canonicalJson } from "../digest/canonical-json.ts";
export { uuidV7 } from "../digest/ids.ts";
export { type CodeEntry, errorCodes, isTrpCode } from "./codes.ts";
export { type Fault, type FaultDetails, fault, isFault } from "./fault.ts";
export { type FrameType, frameJsonSchemas } from "./json-schemas.ts";
export { type FrameLimits, type ParsedFrame, parseFrame } from "./parse-frame.ts";
export { ack, emptyHead, type FrameHead, headOf, nack, type ReplyOptions, replyTo } from "./replies.ts";
export { requestSchemas } from "./request-schemas.ts";
export { responseSchemas } from "./response-schemas.ts";
export type * from "./results.ts";
export type { ErrorClass, TrpCode } from "./results.ts";
export type * from "./types.ts";
export { trpVersion } from "./types.ts";
