import { createRecord, type JsonObject, type JsonValue, type Span } from "@toolglot/core";
import type { DiagnosticChange } from "@toolglot/internal";
import { isRepair, type ShortCode } from "../diagnostics.ts";
import type { DialectRow } from "../table/types.ts";
import type { ToolSet } from "../tools.ts";
import type { DialectCall, DialectEvent, RejectedCall } from "../types.ts";
import { readsAsText, type TypedValue, typeJson } from "../values/typed.ts";
import type { ValueSlip } from "../values/types.ts";

type Delta = Extract<DialectEvent, { phase: "delta" }>;

/** What the calls of one text share. */
export interface CallHost {
  readonly tools: ToolSet;
  allows(code: string): boolean;
  onEvent?: ((event: DialectEvent) => void) | undefined;
}

/** The block that a call is one of. */
export interface CallBlock {
  readonly row: DialectRow;
  readonly host: CallHost;
  readonly inReasoning: boolean;
  readonly calls: DialectCall[];
  readonly rejected: RejectedCall[];
  /** Reports a slip; false when it is a repair that is not allowed. */
  report(code: ShortCode, span: Span, change?: DiagnosticChange): boolean;
}

/** A call while it is read. Its events wait until it has a name. */
export class CallDraft {
  readonly block: CallBlock;
  readonly start: number;
  /** Counted from 0 in its block. */
  readonly number: number;
  name: string | undefined;
  id: string | undefined;
  input: JsonObject = createRecord<JsonValue>();
  /** Where its arguments stand. */
  raw: Span | undefined;
  /** Take the calls that were written together with it, each into a draft of its own. */
  others: readonly ((call: CallDraft, span: Span) => void)[] = [];
  /** Why nothing of it can be used. */
  failure: "truncated" | "invalid" | undefined;
  /** What closes it is missing. */
  isUnclosed = false;
  #isRepaired = false;
  #waiting: Delta[] | undefined = [];
  /** Its arguments that are strings, where the quotes of some may have been lost. */
  strings?: [text: string, span: Span][];

  constructor(block: CallBlock, number: number, start: number) {
    this.block = block;
    this.number = number;
    this.start = start;
  }

  /** Sets the name, and lets its events go. */
  named(written: string, span: Span): void {
    const { prefix } = this.block.row.call;
    const trimmed = written.trim();
    const name = prefix && trimmed.startsWith(prefix) ? trimmed.slice(prefix.length) : trimmed;
    this.name = name;
    if (name === "") {
      this.fail("missing-name", span);
      return;
    }
    const { tools, onEvent } = this.block.host;
    if (tools.isGiven && !tools.has(name)) {
      const near = tools.near(name);
      this.slip("unknown-tool", span, {
        message: `There is no tool ${JSON.stringify(name)}.`,
        ...(near !== undefined && { hint: `Did you mean ${JSON.stringify(near)}?` }),
      });
    }
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    if (!onEvent) return;
    onEvent({ phase: "delta", type: "call-start", call: this.number, text: name, tool: name });
    for (const event of waiting) onEvent(event);
  }

  #emit(event: Delta): void {
    if (this.#waiting) this.#waiting.push(event);
    else this.block.host.onEvent?.(event);
  }

  /** Reports a slip of the call; false when it is not allowed, and the call rejected. */
  slip(code: ShortCode, span: Span, change?: DiagnosticChange): boolean {
    this.isUnclosed ||= code === "unclosed";
    const allowed = this.block.report(code, span, change);
    if (!allowed) this.failure ??= "invalid";
    if (isRepair(code)) this.#isRepaired = true;
    return allowed;
  }

  /** Reports slips of its values. */
  slips(found: readonly ValueSlip[]): void {
    for (const { code, affects, start, end } of found) this.slip(code, { start, end }, { affects });
  }

  /** Rejects the call. Returns false, for those who read on only while it is sound. */
  fail(code: ShortCode, span: Span, message?: string): false {
    if (this.failure) return false;
    this.failure = code === "truncated" ? "truncated" : "invalid";
    this.block.report(code, span, message === undefined ? undefined : { message });
    return false;
  }

  /** Begins an argument. */
  argument(name: string): Argument {
    if (this.emits) this.#emit({ phase: "delta", type: "argument-start", call: this.number, name, text: "" });
    return new Argument(this, name);
  }

  /** Whether somebody listens. */
  get emits(): boolean {
    return this.block.host.onEvent !== undefined;
  }

  /** Emits the next piece of an argument. */
  piece(name: string, text: string): void {
    if (this.emits) this.#emit({ phase: "delta", type: "argument-delta", call: this.number, name, param: name, text });
  }

  /** Puts an argument into the input. */
  put(name: string, value: JsonValue, span: Span, isTold: boolean): void {
    if (name in this.input && !isTold)
      this.slip("duplicate-key", span, {
        message: `The argument ${JSON.stringify(name)} stands twice; the last one counts.`,
      });
    this.input[name] = value;
    if (typeof value === "string") this.strings?.push([value, span]);
  }

  /** Ends the call: it is one of the block's calls, or of those that are rejected. */
  end(end: number, source: { slice(start: number, end: number): string }): void {
    const { block, start, name, id, input, failure, raw } = this;
    const span = { start, end };
    if (name === undefined && !failure) this.fail("missing-name", span);
    if (this.failure) {
      const rejected = { status: this.failure, raw: source.slice(start, end), span };
      block.rejected.push(name ? { name, ...rejected } : rejected);
    } else {
      const status = this.#isRepaired ? "recovered" : "complete";
      block.calls.push({
        name: name as string,
        input,
        ...(id !== undefined && { id }),
        status,
        raw: raw ? source.slice(raw.start, raw.end) : "",
        span,
      });
    }
    if (!this.#waiting && this.emits) this.#emit({ phase: "delta", type: "call-end", call: this.number, text: "" });
  }
}

/** An argument while it is read. */
export class Argument {
  readonly name: string;
  readonly #call: CallDraft;
  /** Its text streams: it is a string whatever follows. */
  readonly streams: boolean;
  #types: ReturnType<ToolSet["parameter"]>;
  /** The tool whose types these are: the name may come behind its arguments. */
  #of: string | undefined;
  #sent = false;

  constructor(call: CallDraft, name: string) {
    this.name = name;
    this.#call = call;
    this.#of = call.name;
    this.#types = call.block.host.tools.parameter(call.name, name);
    this.streams = readsAsText(this.#types.schema, this.#types.root);
  }

  /** What its tool declares of it. */
  get types(): ReturnType<ToolSet["parameter"]> {
    const { name, block } = this.#call;
    if (this.#of !== name) this.#types = block.host.tools.parameter(name, this.name);
    this.#of = name;
    return this.#types;
  }

  /** Whether a JSON string stays one, whatever it holds. */
  get keepsStrings(): boolean {
    const { schema, root } = this.types;
    return this.streams || typeJson("\0", schema, root).slips.length === 0;
  }

  /** Emits the next piece of its text. */
  piece(text: string): void {
    if (text === "") return;
    this.#sent = true;
    this.#call.piece(this.name, text);
  }

  /** Ends it with a value that JSON has a type for; `isTold`: a second one of its name was reported already. */
  value(value: JsonValue, span: Span, isTold = false): void {
    const { schema, root } = this.types;
    this.typed(typeJson(value, schema, root), span, isTold);
  }

  /** Ends it with a value that was typed already. */
  typed({ value, slips }: TypedValue, span: Span, isTold = false): void {
    for (const { code, affects } of slips) this.#call.slip(code, span, { affects });
    if (!this.#sent && this.#call.emits) this.piece(typeof value === "string" ? value : JSON.stringify(value));
    this.#call.put(this.name, value, span, isTold);
  }
}
