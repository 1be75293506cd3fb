import { isRunnable, type ParseResult, type Parser, type ToolDefinition } from "@toolglot/core";
import { allowsRepair, checkParseOptions, createPushParser, TextScanner } from "@toolglot/core/text";
import { diagnostic } from "./diagnostics.ts";
import { FieldPlaces, type Place, type StepPlace } from "./fields/field-places.ts";
import { BlockMaker } from "./fields/make-block.ts";
import { exactValue } from "./fields/value.ts";
import { findLostCalls, TamGrammar } from "./scan/grammar.ts";
import type { Field, ReaderHost, Scan } from "./scan/scan.ts";
import type { TamBlock, TamComment, TamEvent, TamParseOptions, TamParserOptions } from "./types.ts";

/**
 * Reads all blocks of a whole text. Total: there is a result for whatever a model wrote, with diagnostics.
 * Throws `TypeError` when `text` is no string, and for options that can't be meant.
 *
 * @example
 * ```ts
 * const answer = "<|[REQUEST_TOOL]|>\ncommand:»»»Note«««\ntext:»»»Dear friend«««\n<|[END_TOOL]|>\n";
 * const [block] = parse(answer).blocks;
 * const step = block?.steps[0]; // { tool: "Note", params: { text: "Dear friend" }, … }
 * ```
 */
export function parse(text: string, options: TamParseOptions = {}): ParseResult<TamBlock> {
  checkParseOptions("parse", options);
  const parser = createParser(options);
  parser.feed(text);
  return parser.end();
}

/**
 * Creates a push parser: `feed` text as it comes in; `end` returns what `parse` does for the whole text, whatever the chunks.
 * `onEvent` is called while text comes in; a delta is emitted as soon as no later text can change it.
 * Throws `TypeError` for options that can't be meant.
 *
 * @example
 * ```ts
 * const parser = createParser({
 *   onEvent(event) {
 *     if (event.type === "param-delta") deltas.push(event.text);
 *   },
 * });
 * for (const chunk of chunks) parser.feed(chunk);
 * const { blocks } = parser.end({ finish: "stop" });
 * ```
 */
export function createParser(options: TamParserOptions = {}): Parser<TamBlock> {
  checkParseOptions("createParser", options, ["onEvent:function"]);
  return createPushParser((given = options) => makeScanner(given), sample);
}

/** What `createPushParser` keeps alive is made of it: most of a block, up to the middle of a value. */
const sample = `<|[REQUEST_TOOL]|>
command:»»»a«««
a:»»»a`;

function makeScanner(options: TamParserOptions): TextScanner<TamBlock> {
  const { tools, onEvent } = options;
  const allows = (code: string): boolean => allowsRepair(options, code);
  const scanner: TextScanner<TamBlock> = new TextScanner<TamBlock>({
    ...options,
    grammar: new TamGrammar(() => new BlockBuilder(tools, allows, onEvent)),
    onEnd: ({ segments }) =>
      findLostCalls(segments, ({ start, end }, inDoubt) => {
        const made = diagnostic(inDoubt ? "ambiguous-delimiter" : "unopened-block", start, end);
        const allowed = allows(made.code);
        if (!allowed) made.severity = "error";
        for (const block of inDoubt ?? []) if (isRunnable(block)) block.status = allowed ? "recovered" : "invalid";
        scanner.diagnose(made);
      }),
  });
  return scanner;
}

/** Emits the deltas of a block, once the step and name of a parameter are final, and has the block made at its end. */
class BlockBuilder implements ReaderHost {
  /** Absent: there is no listener, and deltas need not be made. */
  readonly #emit: ((event: TamEvent) => void) | undefined;
  readonly #places: FieldPlaces;
  readonly #maker: BlockMaker;
  /** Numbers of fields whose text went out while it came in. */
  readonly #sent = new Set<number>();
  /** Steps whose commands were emitted, in this order. */
  readonly #calls: number[] = [];

  constructor(
    tools: readonly ToolDefinition[] | undefined,
    allows: (code: string) => boolean,
    emit: ((event: TamEvent) => void) | undefined,
  ) {
    this.#emit = emit;
    this.#places = new FieldPlaces(tools);
    this.#maker = new BlockMaker(tools, allows, this.#places);
  }

  takes(key: string): boolean {
    return this.#places.takes(key);
  }

  begin(field: Field): ((text: string) => void) | undefined {
    if (!this.#emit) return undefined;
    const { place, isFinal } = this.#places.of(field);
    if (this.#places.isJson(field, place)) return undefined;
    const delta = isFinal ? this.#delta(field, place) : undefined;
    if (delta) this.#sent.add(field.number);
    field.exact = this.#places.isExact(field, place);
    return delta;
  }

  end(field: Field): void {
    const command = this.#places.end(field);
    if (!command?.name) return;
    const { step, tool } = command;
    const text = tool?.name ?? command.name;
    const once = !this.#calls.includes(step) && { call: this.#calls.push(step) - 1, tool: text };
    this.#emit?.({ phase: "delta", type: "step-start", step, text, ...once });
  }

  comment({ text, span }: TamComment): void {
    this.#emit?.({ phase: "delta", type: "comment", text, span });
  }

  finish(scan: Scan): TamBlock {
    const block = this.#maker.make(scan);
    if (this.#emit)
      for (const field of scan.fields) {
        if (this.#sent.has(field.number) || this.#maker.replaced.has(field.number)) continue;
        const { place } = this.#places.of(field);
        const value = this.#places.isExact(field, place) ? exactValue(field.raw) : field.value;
        const text = this.#places.decoded(field, place) ?? value;
        if (text !== "") this.#delta(field, place)?.(text);
      }
    return block;
  }

  /** Returns what emits the deltas of a field that is a parameter. */
  #delta(field: Field, place: Place): ((text: string) => void) | undefined {
    let { name: param } = place as StepPlace;
    let step: number | undefined;
    let call = -1;
    if (place.kind === "param" && place.step !== undefined) {
      step = place.step;
      param = this.#places.bound(field, place, step);
      const slot = `${step} ${param}`;
      if (!this.#places.emitted.has(slot)) call = this.#calls.indexOf(step);
      this.#places.emitted.add(slot);
    } else if (place.kind !== "common") return undefined;
    const emit = this.#emit;
    const [phase, type, { number }] = ["delta", "param-delta", field] as const;
    // Written out, since many deltas come: dots take as long as all else.
    if (step === undefined) return (text) => emit?.({ phase, type, field: number, param, text });
    if (call < 0) return (text) => emit?.({ phase, type, field: number, step, param, text });
    return (text) => emit?.({ phase, type, field: number, step, call, param, text });
  }
}
