import { createRecord, type JsonObject, type JsonValue, type Span } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { Argument, CallDraft } from "../scan/call-draft.ts";
import type { Cursor, Reading } from "../scan/cursor.ts";
import type { RowMarks } from "../scan/row-marks.ts";
import type { DialectRow } from "../table/types.ts";
import { LiteralReader } from "../values/literal-reader.ts";
import { jsonSyntax } from "../values/syntaxes.ts";
import type { LiteralListener } from "../values/types.ts";

/** Reads one literal, and goes behind it; undefined when it can't be read, and the call is rejected then. */
export function* readLiteral(
  call: CallDraft,
  cursor: Cursor,
  { syntax, literalClosers, openers }: RowMarks,
  listening: { listener?: LiteralListener; stringsTo?: number } = {},
): Reading<LiteralReader | undefined> {
  const reader = new LiteralReader(syntax, listening);
  const start = cursor.offset;
  const skim = (): boolean => {
    const { source } = cursor;
    source.at = reader.read(source.text, source.at, source.base, cursor.ended);
    return reader.state !== "open";
  };
  for (;;) {
    skim();
    const { state } = reader;
    const span = { start, end: cursor.offset };
    if (state === "done") break;
    if (state === "open") {
      cursor.skim = skim;
      if (yield* cursor.wait()) continue;
      call.fail("truncated", span);
      return undefined;
    }
    const isBlocked = state === "blocked";
    const isClosed = isBlocked && (yield* cursor.sees(literalClosers));
    const isNext = isBlocked && !isClosed && (yield* cursor.sees(openers));
    if ((isClosed || isNext) && reader.close(cursor.offset, isNext)) break;
    cursor.failedIn = { depth: reader.depth, quote: reader.quote.charAt(0) };
    const at = reader.failure?.at ?? cursor.offset;
    call.fail(
      syntax.language === "python" ? "not-a-literal" : "invalid-json",
      { start, end: Math.max(at, start + 1) },
      reader.failure?.message,
    );
    return undefined;
  }
  call.slips(reader.slips);
  return reader;
}

/** Takes an object without a name: a shape that an API has for calls. */
export type TakeLoose = (call: CallDraft, value: JsonObject, span: Span) => void;

/**
 * Reads the JSON object of a call. `whole`: it is the arguments; otherwise it has keys for the name and the arguments. False when the call is
 * rejected.
 */
export function* readJsonBody(
  call: CallDraft,
  cursor: Cursor,
  marks: RowMarks,
  whole: boolean,
  takeLoose?: TakeLoose,
): Reading<boolean> {
  const { row } = marks;
  const members = new Members(call, row, whole, takeLoose);
  const start = cursor.offset;
  const reader = yield* readLiteral(call, cursor, marks, { listener: members, stringsTo: members.depth });
  if (!reader) return false;
  const span = { start, end: cursor.offset };
  if (whole) call.raw ??= span;
  return members.finish(reader.value, span);
}

/** Returns the marks of a call that is a JSON object all the same. */
export const callAsJson = (marks: RowMarks): RowMarks => ({
  ...marks,
  row: {
    ...marks.row,
    call: { name: { at: "key", keys: ["name"] } },
    arguments: { keys: ["arguments", "parameters"] },
    values: "json",
  },
  body: { read: (call, cursor, own) => readJsonBody(call, cursor, own, false) },
  syntax: jsonSyntax,
});

/** Takes the members of a call's JSON as they come in. */
class Members implements LiteralListener {
  /** Of the arguments: the number of containers around each. */
  readonly depth: 1 | 2;
  readonly #call: CallDraft;
  readonly #row: DialectRow;
  readonly #nameKeys: readonly string[];
  readonly #keys: readonly string[];
  /** The arguments are the value at hand. */
  #inArguments: boolean;
  #hasArguments = false;
  #argument: Argument | undefined;
  #keepsStrings = false;
  /** What stands beside the name and the arguments. */
  readonly #others = createRecord<JsonValue>();
  readonly #takeLoose: TakeLoose | undefined;

  constructor(call: CallDraft, row: DialectRow, whole: boolean, takeLoose: TakeLoose | undefined) {
    const { name, nameKey } = row.call;
    this.#takeLoose = takeLoose;
    this.#call = call;
    this.#row = row;
    this.#nameKeys = name.at === "key" ? name.keys : nameKey === undefined ? [] : [nameKey];
    this.#keys = row.arguments.keys ?? [];
    this.depth = whole ? 1 : 2;
    this.#inArguments = whole;
  }

  begin(depth: number, key: string | undefined, start: number): void {
    if (depth === 1 && this.depth === 2 && key !== undefined) {
      const isOnly = this.#row.call.name.at === "only-key";
      const span = { start, end: start };
      if (isOnly && this.#call.name === undefined) this.#call.named(key, span);
      else if (isOnly) this.#call.fail("invalid-arguments", span, "One object holds several calls.");
      this.#inArguments = isOnly || this.#keys.includes(key);
    }
    if (depth !== this.depth || !this.#inArguments || key === undefined) return;
    this.#argument = this.#call.argument(key);
    this.#keepsStrings = this.#argument.keepsStrings;
  }

  piece(depth: number, _key: string | undefined, text: string): void {
    if (depth === this.depth && this.#inArguments && this.#keepsStrings) this.#argument?.piece(text);
  }

  value(depth: number, key: string | undefined, value: JsonValue, start: number, end: number): void {
    if (depth > this.depth) return;
    const span = { start, end };
    if (depth === this.depth && this.#inArguments && key !== undefined) this.#argument?.value(value, span, true);
    if (depth !== 1 || this.depth === 1 || key === undefined) return;
    if (this.#inArguments) {
      this.#hasArguments = true;
      this.#call.raw = span;
      if (value !== null && !isObject(value)) this.#whole(value, span);
    } else if (this.#nameKeys.includes(key) && typeof value === "string") {
      if (this.#call.name === undefined) this.#call.named(value, span);
      else if (this.#call.name !== value.trim())
        this.#call.slip("duplicate-key", span, { message: "The call has two names; the first one counts." });
    } else if (this.#row.call.id && "key" in this.#row.call.id && key === this.#row.call.id.key)
      this.#call.id = typeof value === "number" ? String(value) : typeof value === "string" ? value : undefined;
    else this.#others[key] = value;
  }

  /** Takes arguments that are no object: a string may be the JSON of one. */
  #whole(value: JsonValue, span: Span): void {
    const read = typeof value === "string" ? readObject(value) : undefined;
    if (!read) {
      if (value !== "" && value !== "null") this.#call.fail("invalid-arguments", span);
      return;
    }
    for (const [name, one] of Object.entries(read)) this.#call.argument(name).value(one, span);
  }

  /** Returns whether the value was a call's. */
  finish(value: JsonValue | undefined, span: Span): boolean {
    const call = this.#call;
    if (!isObject(value)) return call.fail("invalid-arguments", span);
    if (call.name === undefined && this.#takeLoose && !this.#row.write) {
      this.#takeLoose(call, value as JsonObject, span);
      this.#hasArguments = true;
    }
    if (call.name === undefined) return call.fail("missing-name", span);
    if (this.depth === 2 && !this.#hasArguments) call.raw = { start: span.end, end: span.end };
    return !call.failure && isAlone(call, this.#others, this.depth === 1 || this.#hasArguments, span);
  }
}

/** Members that say nothing about what a call is to do. */
const isLabel = /^(?:type|index|role|status|\w*id)$/i;

/**
 * Whether all that a call is to do stands in its arguments, and they are none of a tool's declaration. Another member may hold them, or one
 * of them. `hasKey`: there are arguments, if none is in them.
 */
export function isAlone(call: CallDraft, others: JsonObject, hasKey: boolean, span: Span): boolean {
  const { input, name = "" } = call;
  const keys = Object.keys(others);
  if (keys.length === 0 && input.type !== "object") return true;
  const params = call.block.host.tools.parameters(name);
  if (input.type === "object" && isObject(input.properties) && !params.includes("properties"))
    return call.fail(
      "invalid-arguments",
      span,
      "These are no arguments, but what the tool's declaration says of them.",
    );
  const isEmpty = Object.keys(input).length === 0;
  const holds = (key: string, value: JsonValue): boolean => {
    if (isLabel.test(key) && (hasKey || !params.includes(key))) return false;
    if (params.includes(key)) return !(key in input);
    return isEmpty && (!hasKey || (typeof value === "object" && value !== null));
  };
  const key = keys.find((one) => holds(one, others[one] as JsonValue));
  return key === undefined || call.fail("invalid-arguments", span, `${JSON.stringify(key)} is none of the arguments.`);
}

/** Reads the JSON of an object. */
export function readObject(text: string): JsonObject | undefined {
  const reader = new LiteralReader(jsonSyntax);
  const at = reader.read(text, text.search(/\S|$/), 0, true);
  const { state, value, slips } = reader;
  const isWhole = state === "done" && slips.length === 0 && text.slice(at).trim() === "";
  return isWhole && isObject(value) ? Object.assign(createRecord<JsonValue>(), value) : undefined;
}
