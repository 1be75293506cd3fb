import { fault, type TrpCode } from "../frames/fault.ts";
import { emptyHead, nack } from "../frames/replies.ts";
import type { HttpReply } from "./types.ts";

/** Of an answer in JSON that nobody keeps. */
export const jsonHeaders: Readonly<Record<string, string>> = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** An answer in JSON that nobody keeps. */
export function jsonReply(status: number, body: unknown, headers?: Record<string, string>): HttpReply {
  return { status, headers: { ...jsonHeaders, ...headers }, body: JSON.stringify(body) };
}

/** A refusal before any frame was read, as the NACK it is. */
export function nackReply(
  status: number,
  code: TrpCode,
  message: string,
  options: { fix?: string; now: number; headers?: Record<string, string> },
): HttpReply {
  const { fix, now, headers } = options;
  return jsonReply(status, nack(emptyHead, fault(code, message, fix === undefined ? {} : { fix }), { now }), headers);
}

/** A refusal of the other paths. */
export function errorReply(status: number, code: string, message: string, headers?: Record<string, string>): HttpReply {
  return jsonReply(status, { error: { code, message } }, headers);
}
