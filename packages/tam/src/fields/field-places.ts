import type { ToolDefinition } from "@toolglot/core";
import { readJsonString } from "../hints.ts";
import { declaredParams, findParam, findTool, keepsWhiteSpace, matchName, normalizeKey } from "../names.ts";
import type { Field } from "../scan/scan.ts";

/** A field of a step; `step` is absent where the block has no such one. */
export interface StepPlace {
  kind: "onError" | "retry" | "typeHint" | "uri" | "param";
  name: string;
  step: number | undefined;
}

/** What a field is, by its key. */
export type Place =
  | StepPlace
  | { kind: "command"; step: number; numbered: boolean }
  | { kind: "requestId" | "comment" | "common"; name: string };

/** The commands of a block, as far as keys need to know of them. */
export interface Commands {
  /** A command without number stands in the block. */
  plain: boolean;
  /** Commands with a number: the names of the parameters that their tools declare, where that is known. */
  numbered: ReadonlyMap<number, readonly string[] | undefined>;
}

/** Returns where a field belongs. `isFinal`: commands that are yet to come change nothing. */
export function placeOf(written: string, { plain, numbered }: Commands): { place: Place; isFinal: boolean } {
  const key = normalizeKey(written);
  const [, base = "", digits] = /^(.*\D)(\d{1,9})$/s.exec(key) ?? [];
  const name = base.endsWith("_") ? base.slice(0, -1) : base;
  const step = Number(digits);
  let isFinal = true;
  let place: Place;
  if (key === "command" || name === "command")
    place = { kind: "command", step: digits ? step : 1, numbered: digits !== undefined };
  else if (key === "request_id") place = { kind: "requestId", name: key };
  else if (key === "comment") place = { kind: key, name: key };
  else if (key.startsWith("common_") && key.length > 7) place = { kind: "common", name: key.slice(7) };
  else if (digits && numbered.has(step) && (name !== base || !matchName(key, numbered.get(step) ?? [])))
    place = named(name, step);
  else {
    place = named(key, plain ? 1 : undefined);
    isFinal = plain && digits === undefined;
  }
  return { place, isFinal };
}

function named(key: string, step: number | undefined): Place {
  if (key === "on_error" || key === "retry") return { kind: key === "retry" ? key : "onError", name: key, step };
  const [, prefix, name] = /^(type_hint|uri)_(.+)$/s.exec(key) ?? [];
  if (prefix && name) return { kind: prefix === "uri" ? "uri" : "typeHint", name, step };
  return { kind: "param", name: key, step };
}

/** What the fields of a block mean, as they come in: the step, the tool and the parameter of each. */
export class FieldPlaces {
  readonly #declared: readonly ToolDefinition[] | undefined;
  readonly #numbered = new Map<number, readonly string[] | undefined>();
  readonly #tools = new Map<number, ToolDefinition | undefined>();
  readonly #places: ReturnType<typeof placeOf>[] = [];
  /** Parameters that have a value, by step. */
  readonly #given = new Set<string>();
  /** Parameters of steps that are JSON by a type hint. */
  readonly #json = new Set<string>();
  /** Texts that fields say as JSON strings, under such a hint, by the fields' numbers. */
  readonly #strings = new Map<number, { slot: string; text: string }>();
  /** Parameters of steps whose deltas were emitted, or that are no text by a type hint. */
  readonly emitted: Set<string> = new Set();
  #plain = false;

  constructor(declared: readonly ToolDefinition[] | undefined) {
    this.#declared = declared;
  }

  /** Whether a key is one of a parameter that a tool of the block declares, and that has no value yet. */
  takes(key: string): boolean {
    if (!this.#declared) return false;
    const { place } = placeOf(key, { plain: this.#plain, numbered: this.#numbered });
    if (place.kind === "command") return true;
    if (place.kind !== "param" || place.step === undefined) return false;
    const tool = this.#tools.get(place.step);
    return (
      tool !== undefined &&
      matchName(place.name, declaredParams(tool).names) !== undefined &&
      !this.#given.has(`${place.step} ${place.name}`)
    );
  }

  /** Takes in a field that has ended: the step, name and tool of a command. */
  end(field: Field): { step: number; name: string; tool: ToolDefinition | undefined } | undefined {
    const { place } = this.of(field);
    if (place.kind === "param") {
      this.#given.add(`${place.step} ${place.name}`);
      if (this.isJson(field, place)) {
        const [slot, text] = [this.#slot(field, place), readJsonString(field.value)];
        if (text === undefined) this.emitted.add(slot);
        else this.#strings.set(field.number, { slot, text });
      }
    } else if (place.kind === "typeHint" && place.step !== undefined) {
      if (/^json$/i.test(field.value)) this.#json.add(this.#slot(field, place));
      else if (!/^text$/i.test(field.value)) this.emitted.add(this.#slot(field, place));
    }
    if (place.kind !== "command") return undefined;
    const { step } = place;
    const name = toolNameOf(field);
    const found = this.#declared && findTool(name, this.#declared, true);
    const tool = found && "tool" in found ? found.tool : undefined;
    this.#tools.set(step, tool);
    if (!place.numbered) this.#plain = true;
    else this.#numbered.set(step, tool && declaredParams(tool).names);
    return { step, name, tool };
  }

  /** Returns where a field belongs, by what is known so far. */
  of({ number, key }: Field): ReturnType<typeof placeOf> {
    const known = this.#places[number];
    if (known?.isFinal) return known;
    const found = placeOf(key, { plain: this.#plain, numbered: this.#numbered });
    this.#places[number] = found;
    return found;
  }

  /** Whether a field is of a parameter that takes its text as it is written. */
  isExact(field: Field, place: Place): boolean {
    if (place.kind !== "param" || place.step === undefined) return false;
    const tool = this.#tools.get(place.step);
    const declared = tool && declaredParams(tool);
    return keepsWhiteSpace(declared?.schemas.get(this.bound(field, place, place.step)) ?? declared?.others);
  }

  /** Returns the step and the parameter that a field is about. */
  #slot(field: Field, place: Place): string {
    const { step, name } = place as StepPlace;
    return `${step} ${step === undefined ? name : this.bound(field, place as StepPlace, step)}`;
  }

  /** Whether a parameter is JSON by a type hint before it. */
  isJson(field: Field, place: Place): boolean {
    return this.#json.size > 0 && place.kind === "param" && this.#json.has(this.#slot(field, place));
  }

  /** Returns the text that a field holds as a JSON string. */
  decoded(field: Field, place: Place): string | undefined {
    const found = this.#strings.size > 0 ? this.#strings.get(field.number) : undefined;
    return found && found.slot === this.#slot(field, place) ? found.text : undefined;
  }

  /** Returns the name of the parameter that a field of a step is about. */
  bound(field: Field, place: StepPlace, step: number): string {
    const tool = this.#tools.get(step);
    const bound = tool && bind(field, place, tool, true);
    return bound && "name" in bound ? bound.name : place.name;
  }
}

/** Returns the parameter that a field means: the one that is spelled just so, else the one that {@link findParam} finds. */
export function bind(
  { key }: Field,
  { kind, name }: StepPlace,
  tool: ToolDefinition,
  brief: boolean,
): ReturnType<typeof findParam> {
  const bare = key.slice(0, key.length - normalizeKey(key).length + name.length);
  const exact = kind === "param" && bare !== name && declaredParams(tool).schemas.has(bare);
  return exact ? { name: bare } : findParam(name, tool, brief);
}

/** Returns the name in a command: it has no line break, whatever an unclosed value took in. */
export function toolNameOf({ value }: Field): string {
  return value.replace(/\n.*/s, "").trimEnd();
}
