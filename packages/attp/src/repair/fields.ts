import { createRecord, type JsonValue } from "@toolglot/core";
import { parse as parseToml, type TomlError } from "smol-toml";
import type { ShortCode } from "../diagnostics.ts";
import type { Entry, Scan } from "../scan/entry.ts";
import { type Field, fieldOf, toolCallName } from "../scan/patterns.ts";
import { hasControl } from "../toml-text.ts";
import type { Judge } from "./judge.ts";
import { plainValues } from "./plain-values.ts";
import { entryText, rawBody, unindent } from "./strings.ts";
import { isTable, toJson } from "./values.ts";

/** Fields of a document, before they are judged. */
export interface Fields {
  values: Map<Field, unknown>;
  /** Where values stand, for diagnostics. */
  entries: Map<Field, Entry>;
  /** Offsets of keys or values that have no entry of their own. */
  fallback: { start: number; end: number };
  extra: Record<string, JsonValue>;
  hasCall: boolean;
}

/** Chooses of several entries of a field the one that counts: that of the last table, and in one table the first. */
export function chooseEntries(entries: readonly Entry[]): Map<Field, Entry> {
  const chosen = new Map<Field, Entry>();
  for (const entry of entries) {
    const { field } = entry;
    if (!field) continue;
    const other = chosen.get(field);
    const wins = field === "thought" ? other === undefined : other === undefined || other.table < entry.table;
    if (wins) chosen.set(field, entry);
  }
  return chosen;
}

/** Reads a document's text: by the TOML parser where it is TOML, else as the scan understood it. */
export function readFields(scan: Scan, judge: Judge): Fields {
  const { start, end, entries, doubt } = scan;
  const fallback = scan.headers.find(({ isCall }) => isCall) ?? { start, end: Math.min(end, start + 80) };
  if (doubt) judge.add("inner-quotes", doubt.start, doubt.end, { message: doubt.message });
  if (entries.some(({ cut, mended }) => cut || mended)) return repaired(scan, judge, fallback, undefined);
  const values = plainValues(scan);
  const read = values ? { values, extra: createRecord<JsonValue>(), hasCall: true } : readToml(scan, judge);
  if ("error" in read) return repaired(scan, judge, fallback, read);
  for (const note of scan.notes)
    if (note.code === "table-name" && judge.allows(note.code)) judge.add(note.code, note.start, note.end);
  // Spelled out: copying with dots costs as much as all of the above.
  return { values: read.values, extra: read.extra, hasCall: read.hasCall, entries: chooseEntries(entries), fallback };
}

type Read = Pick<Fields, "values" | "extra" | "hasCall">;

/** What a document that was not read as TOML failed on. */
interface Failure {
  error: unknown;
  text: string;
}

function readToml(scan: Scan, judge: Judge): Read | Failure {
  const written = scan.source.slice(scan.start, scan.end).replaceAll("\r\n", "\n");
  const text = scan.indent > 0 ? unindent(`\n${written}`, scan.indent).slice(1) : written;
  try {
    return fromData(parseToml(text, { integersAsBigInt: "asNeeded" }), scan, judge);
  } catch (error) {
    return { error, text };
  }
}

/**
 * Sorts what a TOML or JSON parser gave into fields and extra. Used for JSON documents too, which have no entries.
 * Throws where data is nested too deeply, before anything was found.
 */
export function fromData(
  data: Record<string, unknown>,
  scan: Pick<Scan, "entries" | "start" | "end">,
  judge: Judge,
): Read {
  const values = new Map<Field, unknown>();
  const call = createRecord<JsonValue>();
  const extra = createRecord<JsonValue>();
  let hasCall = false;
  for (const [key, value] of Object.entries(data)) {
    const tables = callTables(key, value, judge);
    hasCall ||= tables !== undefined;
    if (!tables) extra[key] = toJson(value);
    else for (const table of tables) for (const [inner, item] of Object.entries(table)) call[inner] = toJson(item);
  }
  const take = (field: Field, from: Record<string, JsonValue>): void => {
    values.set(field, from[field]);
    delete from[field];
  };
  const at = (field: Field): [number, number] => {
    const entry = scan.entries.find((other) => other.field === field);
    return entry ? [entry.keyStart, entry.keyEnd] : [scan.start, Math.min(scan.end, scan.start + 1)];
  };
  let hoisted = false;
  for (const field of ["status", "target", "code", "message"] as const) {
    if (field in call) take(field, call);
    else if (field in extra && judge.allows("missing-header")) {
      take(field, extra);
      if (!hoisted) judge.add("missing-header", ...at(field));
      hoisted = true;
    }
  }
  if ("thought" in extra) take("thought", extra);
  else if ("thought" in call && judge.allows("late-thought")) {
    take("thought", call);
    judge.add("late-thought", ...at("thought"));
  }
  if (Object.keys(call).length > 0) extra.tool_call = call;
  return { values, extra, hasCall: hasCall || hoisted };
}

/** Returns the tables that a key's value is made of, when they are the call's. */
function callTables(key: string, value: unknown, judge: Judge): Record<string, unknown>[] | undefined {
  const name = toolCallName(key);
  if (!name || (name === "odd" && !judge.allows("table-name"))) return undefined;
  const tables: unknown[] = Array.isArray(value) ? value : [value];
  return tables.length > 0 && tables.every(isTable) ? tables : undefined;
}

/** Reads a document that is no TOML, as far as repairs explain it. */
function repaired(scan: Scan, judge: Judge, fallback: Fields["fallback"], failure: Failure | undefined): Fields {
  const { source, indent, notes } = scan;
  preferLastQuotes(scan, judge);
  const entries = chooseEntries(scan.entries);
  const values = new Map<Field, unknown>();
  let explained = failure === undefined;
  const repair = (code: ShortCode, start: number, end: number, message?: string): void => {
    explained = true;
    if (judge.allows(code)) judge.add(code, start, end, { message });
    else judge.add("syntax", start, end);
  };
  const last = new Map<string, number>();
  for (const { code, start, end, message } of notes) {
    if (code === "syntax" && last.has(code)) continue;
    last.set(code, end);
    repair(code, start, end, message);
  }
  for (const [field, entry] of entries) {
    const read = entryText(source, entry, indent);
    values.set(field, read ? read.text : nonString(source.slice(entry.valueStart, entry.valueEnd)));
    if (!read) continue;
    if (entry.innerQuotes !== undefined) repair("inner-quotes", entry.innerQuotes, entry.innerQuotes + 3);
    if (read.raw && !entry.cut) repair("raw-escapes", entry.valueStart, entry.valueEnd);
    if (hasControl(rawBody(source, entry, indent)))
      repair("syntax", entry.bodyStart, entry.bodyEnd, "Control characters stand in the string.");
  }
  const extra = unknownKeys(scan, repair);
  const inline = extra.tool_call;
  if (isTable(inline)) {
    for (const field of ["status", "target", "code", "message", "thought"] as const) {
      if (Object.hasOwn(inline, field) && !values.has(field)) values.set(field, inline[field]);
      delete inline[field];
    }
    if (Object.keys(inline).length === 0) delete extra.tool_call;
  }
  const hoisted = [...entries.values()].find(({ field, inCall }) => field !== "thought" && !inCall);
  if (hoisted) repair("missing-header", hoisted.keyStart, hoisted.keyEnd);
  const thought = entries.get("thought");
  if (thought && thought.table > 0) repair("late-thought", thought.keyStart, thought.keyEnd);
  if (!explained && failure) syntaxError(scan, failure, judge);
  const hasCall = scan.headers.some(({ isCall }) => isCall) || hoisted !== undefined;
  return { values, entries, fallback, extra, hasCall };
}

/**
 * Quotes were taken for the code's end although unknown keys follow, and more quotes: the last quotes of the
 * document are the end then, if nothing follows them.
 */
function preferLastQuotes({ source, entries, end, notes }: Scan, judge: Judge): void {
  const at = entries.findIndex(({ field, form }) => field === "code" && form === "multi-literal");
  const code = entries[at];
  if (!code || code.cut || !judge.allows("inner-quotes")) return;
  if (entries.slice(at + 1).every(({ field }) => field !== undefined)) return;
  const rest = source.slice(code.valueEnd, end);
  const last = rest.lastIndexOf("'''");
  if (last < 0 || !/^[ \t\r\n]*$/.test(rest.slice(last + 3))) return;
  code.innerQuotes ??= code.bodyEnd;
  code.bodyEnd = code.valueEnd + last;
  code.valueEnd = code.bodyEnd + 3;
  entries.length = at + 1;
  const kept = notes.filter(({ start }) => start < code.bodyStart);
  notes.length = 0;
  notes.push(...kept);
}

/** Returns a value that is no string, as the TOML parser reads it. */
function nonString(text: string): unknown {
  try {
    return toJson(parseToml(`v=${text.trim()}`).v);
  } catch {
    return undefined;
  }
}

/** Keys and tables that the protocol does not know, read by the TOML parser on their own. */
function unknownKeys(
  { source, entries, headers, indent }: Scan,
  repair: (code: ShortCode, start: number, end: number) => void,
): Record<string, JsonValue> {
  const unknown = entries.filter(({ field }) => field === undefined);
  const others = headers.filter(({ isCall }) => !isCall);
  if (unknown.length === 0 && others.length === 0) return createRecord();
  const lines: string[] = [];
  const put = (table: number): void => {
    for (const entry of unknown) {
      if (entry.table !== table) continue;
      const value = unindent(source.slice(entry.valueStart, entry.valueEnd).replaceAll("\r\n", "\n"), indent);
      lines.push(`${entry.key} = ${/^(?:True|False|TRUE|FALSE)$/.test(value) ? value.toLowerCase() : value}`);
    }
  };
  put(0);
  const calls = headers.filter(({ isCall }) => isCall);
  if (calls.some(({ table }) => unknown.some((entry) => entry.table === table))) {
    lines.push("[tool_call]");
    for (const { table } of calls) put(table);
  }
  for (const { table, start, end } of others) {
    lines.push(source.slice(start, end));
    put(table);
  }
  try {
    const read = toJson(parseToml(lines.join("\n"), { integersAsBigInt: "asNeeded" }));
    return read as Record<string, JsonValue>;
  } catch {
    const first = unknown[0] ?? others[0];
    if (first)
      repair(
        "syntax",
        "keyStart" in first ? first.keyStart : first.start,
        "valueEnd" in first ? first.valueEnd : first.end,
      );
    return createRecord();
  }
}

/** Reports the TOML parser's complaint, at its place in the whole text. */
function syntaxError(scan: Scan, { error, text }: Failure, judge: Judge): void {
  const { line = 1, column = 1, message = "" } = error as Partial<TomlError>;
  const written = scan.source.slice(scan.start, scan.end);
  let start = 0;
  for (let count = 1; count < line; count += 1) start = written.indexOf("\n", start) + 1;
  const removed = scan.indent > 0 ? (written.slice(start).match(/^[ \t]*/)?.[0].length ?? 0) : 0;
  const offset = Math.min(scan.start + start + Math.min(removed, scan.indent) + column - 1, scan.end);
  const reason = message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "";
  judge.add("syntax", offset, Math.min(offset + 1, scan.end), {
    message: `Line ${line}, column ${column}: ${reason || "this is not TOML"}${text === "" ? "" : "."}`,
  });
}

/** Keys in extra that deserve a word, with the entries they come from. */
export function unknownEntries(
  extra: Record<string, JsonValue>,
  scan: Pick<Scan, "entries" | "headers">,
): [number, number][] {
  const spans: [number, number][] = [];
  for (const entry of scan.entries) {
    if (entry.field !== undefined || (entry.table > 0 && !entry.inCall)) continue;
    const name = entry.key.replace(/^["']|["']$/g, "");
    const known = fieldOf(name) !== undefined && !Object.hasOwn(extra, name);
    if (!known && !/^tool_call\b/.test(name)) spans.push([entry.keyStart, entry.keyEnd]);
  }
  for (const header of scan.headers) if (!header.isCall) spans.push([header.start, header.end]);
  return spans;
}
