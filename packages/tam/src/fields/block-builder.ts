import type { Field, ReaderHost, Scan } from "../scan/scan.ts";
import type { TamBlock, TamComment, TamEvent } from "../types.ts";
import { FieldPlaces } from "./field-places.ts";
import type { Place, StepPlace } from "./keys.ts";
import { BlockMaker, type MakerOptions } from "./make-block.ts";
import { exactValue } from "./value.ts";

/** Options of a {@link BlockBuilder}. */
export interface BuilderOptions extends MakerOptions {
  /** Absent: there is no listener, and deltas need not be made. */
  emit?: ((event: TamEvent) => void) | undefined;
}

/** Emits the deltas of a block, once the step and name of a parameter are final, and has the block made at its end. */
export class BlockBuilder implements ReaderHost {
  readonly #options: BuilderOptions;
  readonly #places: FieldPlaces;
  /** Numbers of fields whose text went out while it came in. */
  readonly #sent = new Set<number>();
  /** Steps whose commands were emitted, in this order. */
  readonly #calls: number[] = [];

  constructor(options: BuilderOptions) {
    this.#options = options;
    this.#places = new FieldPlaces(options.tools);
  }

  takes(key: string): boolean {
    return this.#places.takes(key);
  }

  begin(field: Field): ((text: string) => void) | undefined {
    const { emit } = this.#options;
    if (!emit) return undefined;
    const { place, isFinal } = this.#places.of(field);
    if (this.#places.isJson(field, place)) return undefined;
    const delta = isFinal ? this.#delta(field, place) : undefined;
    if (delta) this.#sent.add(field.number);
    field.exact = this.#places.isExact(field, place);
    return delta && ((text) => emit(delta(text)));
  }

  end(field: Field): void {
    const command = this.#places.end(field);
    if (!command || command.name === "") return;
    const { step, tool } = command;
    const text = tool?.name ?? command.name;
    const once = !this.#calls.includes(step) && { call: this.#calls.push(step) - 1, tool: text };
    this.#options.emit?.({ phase: "delta", type: "step-start", step, text, ...once });
  }

  comment({ text, span }: TamComment): void {
    this.#options.emit?.({ phase: "delta", type: "comment", text, span });
  }

  finish(scan: Scan): TamBlock {
    const maker = new BlockMaker(this.#options, this.#places);
    const block = maker.make(scan);
    const { emit } = this.#options;
    if (emit)
      for (const field of scan.fields) {
        if (this.#sent.has(field.number) || maker.replaced.has(field.number)) continue;
        const { place } = this.#places.of(field);
        const value = this.#places.isExact(field, place) ? exactValue(field.raw) : field.value;
        const text = this.#places.decoded(field, place) ?? value;
        const delta = text === "" ? undefined : this.#delta(field, place);
        if (delta) emit(delta(text));
      }
    return block;
  }

  /** Makes the delta events of a field that is a parameter. */
  #delta(field: Field, place: Place): ((text: string) => TamEvent) | undefined {
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
    const { number } = field;
    return (text) => ({
      phase: "delta",
      type: "param-delta",
      field: number,
      ...(step !== undefined && { step }),
      ...(call >= 0 && { call }),
      param,
      text,
    });
  }
}
