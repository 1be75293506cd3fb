import type { JsonValue } from "@toolglot/core";
import { LiteralReader } from "../src/values/literal-reader.ts";
import type { LiteralSyntax, ValueSlip } from "../src/values/types.ts";

/** What was read of a text. */
export interface Read {
  state: LiteralReader["state"];
  value: JsonValue | undefined;
  /** Offset behind what was taken. */
  end: number;
  slips: ValueSlip[];
  failure: LiteralReader["failure"];
  /** What the listener heard, pieces of one string joined. */
  heard: string[];
  pieces: Map<string, string>;
}

/** Reads a text that comes in chunks, as a caller does: what was not taken comes again. */
export function readChunks(chunks: readonly string[], syntax: LiteralSyntax, stringsTo = 600): Read {
  const heard: string[] = [];
  const pieces = new Map<string, string>();
  let last = 0;
  const reader = new LiteralReader(syntax, {
    stringsTo,
    listener: {
      begin(depth, key, start) {
        last = start;
        heard.push(`begin ${depth} ${key} ${start}`);
      },
      piece: (_depth, _key, text) => pieces.set(`${last}`, (pieces.get(`${last}`) ?? "") + text),
      value: (depth, key, value, start, end) =>
        heard.push(`value ${depth} ${key} ${JSON.stringify(value)} ${start}-${end}`),
    },
  });
  let window = "";
  let base = 0;
  const steps = [...chunks.map((text) => ({ text, ended: false })), { text: "", ended: true }];
  for (const { text, ended } of steps) {
    if (reader.state !== "open") break;
    window += text;
    const taken = reader.read(window, 0, base, ended);
    window = window.slice(taken);
    base += taken;
  }
  const { state, value, slips, failure } = reader;
  return { state, value, end: base, slips, failure, heard, pieces };
}

/** Reads a text at once; then in single units, in fours, and cut at each place: nothing may differ. */
export function readEachWay(text: string, syntax: LiteralSyntax): Read {
  const whole = readChunks([text], syntax);
  const ways = [[...text].flatMap((letter) => letter.split("")), text.match(/.{1,4}/gs) ?? []];
  if (text.length < 60) for (let at = 1; at < text.length; at++) ways.push([text.slice(0, at), text.slice(at)]);
  for (const chunks of ways) {
    const other = readChunks(chunks, syntax);
    if (JSON.stringify([...other.pieces, other]) !== JSON.stringify([...whole.pieces, whole])) {
      throw new Error(`${JSON.stringify(chunks)}: ${JSON.stringify(other)} instead of ${JSON.stringify(whole)}`);
    }
  }
  return whole;
}

/** The slips of a reading in short: `json-repaired structure 3-4`. */
export const slipsOf = ({ slips }: Read): string[] =>
  slips.map(({ code, affects, start, end }) => `${code} ${affects} ${start}-${end}`);
