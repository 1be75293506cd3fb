import type { ToolDefinition } from "@toolglot/core";
import type { Field, ReaderHost, Scan } from "../scan/scan.ts";
import type { TamBlock, TamComment, TamEvent } from "../types.ts";
import type { Place, StepPlace } from "./field-places.ts";
import { FieldPlaces } from "./field-places.ts";
import { BlockMaker } from "./make-block.ts";
import { exactValue } from "./value.ts";

/** Emits the deltas of a block, once the step and name of a parameter are final, and has the block made at its end. */
export class BlockBuilder implements ReaderHost {
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
