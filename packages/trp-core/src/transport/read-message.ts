import { isNestedDeeper } from "@toolglot/internal";
import { type Fault, fault } from "../frames/fault.ts";
import { isId } from "../frames/fields.ts";

/** Reads bytes as UTF-8; undefined when they aren't. */
export type DecodeUtf8 = (bytes: Uint8Array) => string | undefined;

/** Bytes of a message whose nesting is not looked at before it is parsed. */
const freelyParsed = 65_536;
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads UTF-8 with what every runtime has. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Reads JSON of an unknown client, or returns why it can't be read. `what` is the message in the words of its transport. */
export function readMessage(
  bytes: Uint8Array,
  { what, depth, decode }: { what: "body" | "frame"; depth: number; decode: DecodeUtf8 },
): { value: unknown } | { fault: Fault } {
  const refuse = (problem: string, fix: string): { fault: Fault } => ({
    fault: fault("TRP_2000", `The ${what} is ${problem}.`, { fix }),
  });
  // What is small is parsed at once, however deep, and refused by the router itself.
  if (bytes.length > freelyParsed && isNestedDeeper(bytes, depth)) {
    return refuse(`nested deeper than ${depth} levels`, "Send it flatter.");
  }
  const text = decode(bytes);
  if (text === undefined) return refuse("not UTF-8", "Send JSON in UTF-8.");
  // Of a key that is there twice, the last one counts: the result of JSON.parse is what everything after it sees.
  try {
    return { value: JSON.parse(text) };
  } catch {
    return refuse("not JSON", "Send one frame as a JSON object.");
  }
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/**
 * Returns the `frame_id` of a frame that is not to be parsed, found in its bytes, which may be its beginning only: a refusal has to
 * name it. Looks at the outermost object alone, because arguments may have a member of that name. Null when it can't be found.
 */
export function frameIdIn(bytes: Uint8Array): string | null {
  let depth = 0;
  let last: string | undefined;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte === quote) {
      const from = at + 1;
      for (at++; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
      if (depth !== 1) continue;
      const text = at < bytes.length && at - from <= 1024 ? decodeUtf8(bytes.subarray(from, at)) : undefined;
      // With an escape it would have to be read as JSON is.
      if (last === "frame_id:") return isId(text) && !text.includes("\\") ? text : null;
      last = text;
      continue;
    }
    if (byte === colon && depth === 1 && last === "frame_id") last = "frame_id:";
    else if (byte !== undefined && byte > 0x20) last = undefined;
  }
  return null;
}
