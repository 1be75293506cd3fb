import type { JsonValue } from "@toolglot/core";
import { cutText } from "@toolglot/core/results";
import { quotedLength } from "./json-size.ts";
import { pointerStep } from "./pointer.ts";

/** A part that was made smaller. */
export interface Cut {
  /** JSON pointer in the data; empty for the data as a whole. */
  path: string;
  /** `12 of 340 items`. */
  kept: string;
  /** The part as it was. */
  original: JsonValue;
}

/** What stays of a value: the same bounds everywhere in it. */
interface Bounds {
  /** UTF-16 units of a text. */
  text: number;
  /** Items of an array. */
  items: number;
  /** Members of an object. */
  members: number;
}

/** Below this, texts are not cut before arrays are. */
const shortText = 200;
const tinyText = 20;
const fewItems = 3;
const all = 0x7fffffff;

/**
 * A JSON value of at most `room` UTF-8 bytes, made by keeping the beginnings of what is long. First all texts are cut to
 * one length, not below 200 characters; then all arrays to one length, not below 3 items (and texts get what that
 * leaves); then texts down to 20 characters, then objects, then arrays; if nothing fits, null. Deterministic. Cut texts
 * end in `…`. Each part that was cut is in `cuts`, in document order.
 */
export function fitJson(data: JsonValue, room: number): { data: JsonValue; cuts: Cut[] } {
  const fits = (bounds: Bounds): boolean => sizeOf(data, bounds, room) <= room;
  const bounds = chooseBounds(fits, room);
  if (bounds === undefined) return { data: null, cuts: [{ path: "", kept: "left out as a whole", original: data }] };
  const cuts: Cut[] = [];
  return { data: build(data, bounds, "", cuts), cuts };
}

function chooseBounds(fits: (bounds: Bounds) => boolean, room: number): Bounds | undefined {
  const texts = most(shortText, room, (text) => fits({ text, items: all, members: all }));
  if (texts !== undefined) return { text: texts, items: all, members: all };
  const items = most(fewItems, room, (count) => fits({ text: shortText, items: count, members: all }));
  if (items !== undefined) {
    const text = most(shortText, room, (length) => fits({ text: length, items, members: all }));
    return { text: text ?? shortText, items, members: all };
  }
  const text = most(tinyText, shortText, (length) => fits({ text: length, items: fewItems, members: all }));
  if (text !== undefined) return { text, items: fewItems, members: all };
  const members = most(1, room, (count) => fits({ text: tinyText, items: fewItems, members: count }));
  if (members !== undefined) return { text: tinyText, items: fewItems, members };
  const last = { text: tinyText, items: 1, members: 1 };
  return fits(last) ? last : undefined;
}

/** Returns the greatest number in a range that fits, when the least one does. */
function most(least: number, greatest: number, fits: (value: number) => boolean): number | undefined {
  if (!fits(least)) return undefined;
  let low = least;
  let high = Math.max(least, greatest);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Bytes of the cut value's JSON text; ends early above `limit`, so it never takes longer than the room is wide. */
function sizeOf(value: JsonValue, bounds: Bounds, limit: number): number {
  if (typeof value === "string") {
    return quotedLength(value.length > bounds.text ? shortened(value, bounds.text) : value, limit);
  }
  if (typeof value !== "object" || value === null) return String(value).length;
  let bytes = 2;
  if (Array.isArray(value)) {
    const count = Math.min(value.length, bounds.items);
    for (let index = 0; index < count && bytes <= limit; index++) {
      bytes += (index > 0 ? 1 : 0) + sizeOf(value[index] as JsonValue, bounds, limit - bytes);
    }
    return bytes;
  }
  let count = 0;
  for (const key of Object.keys(value)) {
    if (count >= bounds.members || bytes > limit) break;
    bytes += (count++ > 0 ? 1 : 0) + quotedLength(key, limit) + 1;
    bytes += sizeOf(value[key] as JsonValue, bounds, limit - bytes);
  }
  return bytes;
}

function shortened(text: string, length: number): string {
  return `${cutText(text, length - 1)}…`;
}

function build(value: JsonValue, bounds: Bounds, path: string, cuts: Cut[]): JsonValue {
  if (typeof value === "string") {
    if (value.length <= bounds.text) return value;
    const text = shortened(value, bounds.text);
    cuts.push({ path, kept: `${text.length - 1} of ${value.length} characters`, original: value });
    return text;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const count = Math.min(value.length, bounds.items);
    if (count < value.length) cuts.push({ path, kept: `${count} of ${value.length} items`, original: value });
    return value.slice(0, count).map((item, index) => build(item, bounds, path + pointerStep(index), cuts));
  }
  const keys = Object.keys(value);
  const count = Math.min(keys.length, bounds.members);
  if (count < keys.length) cuts.push({ path, kept: `${count} of ${keys.length} members`, original: value });
  const copy: Record<string, JsonValue> = {};
  for (const key of keys.slice(0, count)) {
    const member = build(value[key] as JsonValue, bounds, path + pointerStep(key), cuts);
    if (key === "__proto__") {
      Object.defineProperty(copy, key, { value: member, writable: true, enumerable: true, configurable: true });
    } else copy[key] = member;
  }
  return copy;
}
