/**
 * The frames of TRP (Tool Router Protocol), version 0.1: schemas to check them, JSON Schemas to publish them, and the
 * reading of requests.
 */

export { canonicalJson } from "../digest/canonical-json.ts";
export { uuidV7 } from "../digest/ids.ts";
export { type CodeEntry, errorCodes, isTrpCode } from "../errors/codes.ts";
export { type FaultDetails, fault, isFault } from "../errors/fault.ts";
export type { ErrorClass, Fault, TrpCode } from "../errors/types.ts";
export { emptyHead, type FrameHead } from "./head.ts";
export { type FrameType, frameJsonSchemas } from "./json-schemas.ts";
export { type FrameLimits, type ParsedFrame, parseFrame } from "./parse-frame.ts";
export { ack, headOf, nack, type ReplyOptions, replyTo } from "./replies.ts";
export { requestSchemas } from "./request-schemas.ts";
export { responseSchemas } from "./response-schemas.ts";
export type * from "./types.ts";
export { trpVersion } from "./types.ts";
