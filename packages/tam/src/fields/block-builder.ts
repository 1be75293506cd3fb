import { createRecord, type Diagnostic, type ToolDefinition, type ToolErrorInfo } from "@toolglot/core";
import { foreignCloser } from "@toolglot/core/text";
import { boundFindings } from "@toolglot/internal";
import { declaredParams, findParam, findTool, hintsAtMost, keepsWhiteSpace, quote } from "../declared.ts";
import { diagnostic } from "../diagnostics.ts";
import { readHinted, readJsonString } from "../hints.ts";
import { makeStep } from "../make-step.ts";
import { matchName, normalizeKey } from "../names.ts";
import type { Field, ReaderHost, Scan } from "../scan/scan.ts";
import type { TamBlock, TamComment, TamEvent, TamStep, TamTypeHint } from "../types.ts";
import { type Place, placeOf, type StepPlace } from "./keys.ts";
import { exactValue, hasInvisibleEdge, isDressedLine, isUneven } from "./value.ts";

type Short = Parameters<typeof diagnostic>[0];

/** Options of a {@link BlockBuilder}. */
export interface BuilderOptions {
  tools: readonly ToolDefinition[] | undefined;
  /** Whether a repair may be made; without it, its finding is an error. */
  allows(code: string): boolean;
  /** Absent: there is no listener, and deltas need not be made. */
  emit?: ((event: TamEvent) => void) | undefined;
}

/** A step on its way, with what findings need. */
interface Draft {
  step: TamStep;
  tool: ToolDefinition | undefined;
  /** Fields of its parameters, by name, for findings about their values. */
  fields: Map<string, Field>;
}

/** Makes a block of its fields. Says what streams, as soon as the step and name of a parameter are known for sure. */
export class BlockBuilder implements ReaderHost {
  readonly #options: BuilderOptions;
  readonly #numbered = new Map<number, readonly string[] | undefined>();
  readonly #tools = new Map<number, ToolDefinition | undefined>();
  readonly #found: Diagnostic[] = [];
  /** Unknown names so far. */
  #hints = 0;
  /** Numbers of fields whose text went out while it came in, or that a later one takes the place of. */
  readonly #settled = new Set<number>();
  readonly #places: ReturnType<typeof placeOf>[] = [];
  /** Parameters that have a value, by step. */
  readonly #given = new Set<string>();
  /** Steps whose commands were told, in this order. */
  readonly #calls: number[] = [];
  /** Parameters of these steps whose deltas were told, or that a type hint says are no text. */
  readonly #told = new Set<string>();
  /** Parameters of steps that a type hint says are JSON. */
  readonly #json = new Set<string>();
  /** Texts that fields say as JSON strings, under such a hint, by the fields' numbers. */
  readonly #strings = new Map<number, { slot: string; text: string }>();
  #plain = false;

  constructor(options: BuilderOptions) {
    this.#options = options;
  }

  takes(key: string): boolean {
    if (!this.#options.tools) return false;
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

  begin(field: Field): ((text: string) => void) | undefined {
    const { emit } = this.#options;
    if (!emit) return undefined;
    const { place, isFinal } = this.#place(field);
    if (this.#isJson(field, place)) return undefined;
    const delta = isFinal ? this.#delta(field, place) : undefined;
    if (delta) this.#settled.add(field.number);
    field.exact = this.#isExact(field, place);
    return delta && ((text) => emit(delta(text)));
  }

  /** Whether a field is of a parameter that takes its text as it is written. */
  #isExact(field: Field, place: Place): boolean {
    if (place.kind !== "param" || place.step === undefined) return false;
    const tool = this.#tools.get(place.step);
    const declared = tool && declaredParams(tool);
    return keepsWhiteSpace(declared?.schemas.get(this.#bound(field, place, place.step)) ?? declared?.others);
  }

  end(field: Field): void {
    const { place } = this.#place(field);
    if (place.kind === "param") {
      this.#given.add(`${place.step} ${place.name}`);
      if (this.#isJson(field, place)) {
        const [slot, text] = [this.#slot(field, place), readJsonString(field.value)];
        if (text === undefined) this.#told.add(slot);
        else this.#strings.set(field.number, { slot, text });
      }
    } else if (place.kind === "typeHint" && place.step !== undefined) {
      if (/^json$/i.test(field.value)) this.#json.add(this.#slot(field, place));
      else if (!/^text$/i.test(field.value)) this.#told.add(this.#slot(field, place));
    }
    if (place.kind !== "command") return;
    const name = toolNameOf(field);
    const tool = this.#tool(name);
    const { step } = place;
    this.#tools.set(step, tool);
    if (!place.numbered) this.#plain = true;
    else this.#numbered.set(step, tool && declaredParams(tool).names);
    if (name === "") return;
    const text = tool?.name ?? name;
    const once = !this.#calls.includes(step) && { call: this.#calls.push(step) - 1, tool: text };
    this.#options.emit?.({ phase: "delta", type: "step-start", step, text, ...once });
  }

  comment({ text, span }: TamComment): void {
    this.#options.emit?.({ phase: "delta", type: "comment", text, span });
  }

  finish(scan: Scan): TamBlock {
    const block = this.#build(scan);
    const { emit } = this.#options;
    if (emit)
      for (const field of scan.fields) {
        if (this.#settled.has(field.number)) continue;
        const { place } = this.#place(field);
        const value = this.#isExact(field, place) ? exactValue(field.raw) : field.value;
        const text = this.#decoded(field, place) ?? value;
        const delta = text === "" ? undefined : this.#delta(field, place);
        if (delta) emit(delta(text));
      }
    return block;
  }

  #place({ number, key }: Field): ReturnType<typeof placeOf> {
    const known = this.#places[number];
    if (known?.isFinal) return known;
    const found = placeOf(key, { plain: this.#plain, numbered: this.#numbered });
    this.#places[number] = found;
    return found;
  }

  #tool(name: string): ToolDefinition | undefined {
    const found = this.#options.tools && findTool(name, this.#options.tools, true);
    return found && "tool" in found ? found.tool : undefined;
  }

  /** Makes the delta events of a field that is a parameter. */
  #delta(field: Field, place: Place): ((text: string) => TamEvent) | undefined {
    let { name: param } = place as StepPlace;
    let step: number | undefined;
    let call = -1;
    if (place.kind === "param" && place.step !== undefined) {
      step = place.step;
      param = this.#bound(field, place, step);
      const slot = `${step} ${param}`;
      if (!this.#told.has(slot)) call = this.#calls.indexOf(step);
      this.#told.add(slot);
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

  /** The step and the parameter that a field is about. */
  #slot(field: Field, place: Place): string {
    const { step, name } = place as StepPlace;
    return `${step} ${step === undefined ? name : this.#bound(field, place as StepPlace, step)}`;
  }

  /** Whether a type hint before a parameter says that it is JSON. */
  #isJson(field: Field, place: Place): boolean {
    return this.#json.size > 0 && place.kind === "param" && this.#json.has(this.#slot(field, place));
  }

  /** The text that a field says as a JSON string. */
  #decoded(field: Field, place: Place): string | undefined {
    const found = this.#strings.size > 0 ? this.#strings.get(field.number) : undefined;
    return found && found.slot === this.#slot(field, place) ? found.text : undefined;
  }

  /** The name of the parameter that a field of a step is about. */
  #bound(field: Field, place: StepPlace, step: number): string {
    const tool = this.#tools.get(step);
    const bound = tool && bind(field, place, tool, true);
    return bound && "name" in bound ? bound.name : place.name;
  }

  #build(scan: Scan): TamBlock {
    const common = createRecord<string>();
    const commonRaw = createRecord<string>();
    const block: TamBlock = {
      status: "complete",
      comments: scan.comments,
      common,
      commonRaw,
      steps: [],
      diagnostics: this.#found,
      warnings: [],
      span: { start: scan.start, end: scan.end },
    };
    for (const { code, start, end, affectsValue } of scan.notes)
      this.#add(code, start, end, affectsValue ? { affects: "value" } : {});
    const drafts = new Map<number, Draft>();
    const placed = scan.fields.map((field) => [field, this.#place(field).place] as const);
    const seen = new Map<string, Field>();
    const shared = new Map<string, Field>();
    for (const [field, place] of placed) {
      if (place.kind !== "command") continue;
      const value = toolNameOf(field);
      if (value === "") this.#add("missing-command", field.keyStart, field.end);
      this.#once(seen, `${place.step} command`, field);
      drafts.set(place.step, this.#draft(value, place.step, field));
    }
    if (drafts.size === 0 && !scan.cut) this.#add("missing-command", scan.start, scan.head);
    for (const [field, place] of placed) {
      const { value, bodyStart, bodyEnd } = field;
      if (isUneven(field.raw, field.indent)) this.#add("uneven-indent", bodyStart, bodyEnd);
      if (hasInvisibleEdge(field.raw) && !isDressedLine(value)) this.#add("invisible-characters", bodyStart, bodyEnd);
      if (place.kind === "command") {
        const draft = drafts.get(place.step);
        if (draft) stretch(draft.step, field);
        if (!draft?.tool) this.#checkEdges(field);
      } else if (place.kind === "requestId" || place.kind === "comment") {
        this.#once(seen, place.kind, field);
        block[place.kind] = value;
      } else if (place.kind === "common") {
        this.#once(seen, `common ${place.name}`, field);
        shared.set(place.name, field);
        common[place.name] = value;
        commonRaw[place.name] = field.raw;
      } else if ("step" in place) {
        const draft = place.step === undefined ? undefined : drafts.get(place.step);
        if (draft) this.#give(draft, place, field, scan.fields[field.number - 1], seen);
        else if (drafts.size > 0)
          this.#add("unassigned-field", field.keyStart, field.keyEnd, {
            message: `The field ${quote(field.key)} belongs to no step.`,
          });
      }
    }
    for (const draft of drafts.values()) {
      if (shared.size > 0)
        for (const [name, hint] of Object.entries(draft.step.typeHints)) if (hint !== "text") shared.delete(name);
      this.#checkHints(draft);
      this.#findSwallowed(draft, block);
    }
    for (const field of shared.values()) this.#checkEdges(field);
    block.steps = [...drafts.values()].map(({ step }) => step).sort((a, b) => a.index - b.index);
    block.steps.forEach(({ index, span }, at) => {
      const before = block.steps[at - 1];
      if (before && index > before.index + 1) this.#add("step-gap", span.start, span.end);
    });
    if (!scan.closed)
      this.#add(
        "unclosed-block",
        scan.start,
        scan.end,
        scan.cut
          ? { severity: "error", affects: "value", message: "The block was cut off." }
          : { affects: scan.doubtful ? "value" : "structure" },
      );
    this.#found.sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
    const warnings = new Set<string>();
    for (const { code, severity } of this.#found) {
      if (severity === "warning") warnings.add(code.slice(4).replaceAll("-", "_"));
      // The others stay with their steps.
      else if (severity === "error" && !/invalid|-tool|-param/.test(code)) block.status = "invalid";
    }
    block.warnings = [...warnings];
    block.diagnostics = boundFindings(this.#found);
    if (scan.cut) block.status = "truncated";
    else if (block.status === "complete" && warnings.size > 0) block.status = "recovered";
    return block;
  }

  #draft(written: string, index: number, field: Field): Draft {
    const found = this.#options.tools && findTool(written, this.#options.tools, this.#hints >= hintsAtMost);
    const tool = found && "tool" in found ? found.tool : undefined;
    const step = makeStep(index, tool?.name ?? written, { start: field.keyStart, end: field.end });
    if (found && "error" in found && written !== "") {
      this.#hints += 1;
      this.#fault(step, "unknown-tool", field.bodyStart, field.bodyEnd, found.error);
    }
    return { step, tool, fields: new Map() };
  }

  /** Gives a field to its step. */
  #give(draft: Draft, place: StepPlace, field: Field, before: Field | undefined, seen: Map<string, Field>): void {
    const { step, tool } = draft;
    const { kind } = place;
    let { name } = place;
    const { value, bodyStart, bodyEnd } = field;
    const fault = (code: Short, what: string): void => {
      this.#fault(step, code, bodyStart, bodyEnd, { type: "InvalidInput", message: `${what}, not ${quote(value)}.` });
    };
    stretch(step, field);
    if (tool && (kind === "param" || kind === "uri" || kind === "typeHint")) {
      const bound = bind(field, place, tool, this.#hints >= hintsAtMost);
      if ("name" in bound) name = bound.name;
      else if (kind !== "typeHint") {
        const several = matchName(name, declaredParams(tool).names) !== undefined;
        const code = several ? "ambiguous-parameter" : "unknown-parameter";
        this.#hints += 1;
        this.#fault(step, code, field.keyStart, field.keyEnd, bound.error);
        if (!several && before && !before.isName)
          this.#add("ambiguous-delimiter", before.bodyStart, field.end, {
            message: `${quote(field.key)} is no parameter: it may be text of the value before it.`,
          });
      }
    }
    this.#once(seen, `${step.index} ${kind} ${name}`, field);
    if (kind === "param") {
      step.params[name] = this.#decoded(field, place) ?? value;
      step.raw[name] = field.raw;
      draft.fields.set(name, field);
    } else if (kind === "uri") {
      this.#checkEdges(field);
      step.uris[name] = value;
    } else if (kind === "retry") {
      if (/^0{0,2}(?:\d|10)$/.test(value)) step.retry = Number(value);
      else fault("invalid-retry", "retry is a whole number from 0 to 10");
    } else if (kind === "onError") {
      const word = value.toLowerCase();
      if (word === "stop" || word === "continue") step.onError = word;
      else fault("invalid-on-error", "on_error is stop or continue");
    } else {
      const hint = value.toLowerCase();
      if (/^(?:text|json|base64|number|boolean)$/.test(hint)) step.typeHints[name] = hint as TamTypeHint;
      else {
        this.#add("unknown-type-hint", bodyStart, bodyEnd);
        step.typeHints[name] = "text";
      }
    }
  }

  /** A parameter that was not given may stand in a value whose closer was lost, with its own opener. */
  #findSwallowed({ step, tool, fields }: Draft, { common }: TamBlock): void {
    if (!tool) return;
    const { names } = declaredParams(tool);
    const missing = names.filter((name) => !(name in step.params || name in step.uris || name in common));
    if (missing.length === 0) return;
    for (const { raw, bodyStart } of fields.values()) {
      for (const { 0: found, 1: key = "", index } of raw.matchAll(likeField)) {
        if (matchName(key, missing) === undefined) continue;
        this.#add("ambiguous-delimiter", bodyStart + index, bodyStart + index + found.length);
        return;
      }
    }
  }

  /** What a value of one line stands in may be no part of it. */
  #checkEdges({ raw, value, bodyStart, bodyEnd }: Field): void {
    const closer = foreignCloser(raw, "tam");
    if (closer) this.#add("foreign-closer", bodyStart + closer.start, bodyStart + closer.end);
    if (isDressedLine(value)) this.#add("dressed-value", bodyStart, bodyEnd);
  }

  #checkHints({ step, fields }: Draft): void {
    for (const [name, field] of fields) {
      // The hint of a JSON string says how it is written, and is no part of the step.
      if (this.#decoded(field, this.#place(field).place) !== undefined) delete step.typeHints[name];
      else if ((step.typeHints[name] ?? "text") === "text") this.#checkEdges(field);
    }
    for (const [name, hint] of Object.entries(step.typeHints)) {
      const field = fields.get(name);
      const read = field && readHinted(step.params[name] ?? "", hint);
      if (!read || "value" in read) continue;
      const message = `${step.tool}, ${name}: ${read.problem}`;
      this.#fault(step, "invalid-hint-value", field.bodyStart, field.bodyEnd, { type: "InvalidInput", message });
    }
  }

  #once(seen: Map<string, Field>, slot: string, field: Field): void {
    const { keyStart, keyEnd, key } = field;
    const before = seen.get(slot);
    seen.set(slot, field);
    if (before === undefined) return;
    this.#settled.add(before.number);
    // The same twice is no matter; another value may be that of another block.
    this.#add("duplicate-key", keyStart, keyEnd, {
      message: `${quote(key)} is given twice; the last one counts.`,
      affects: before.raw.trim() === field.raw.trim() ? "structure" : "value",
    });
  }

  /** A fault that only its step has to bear. */
  #fault(step: TamStep, code: Short, start: number, end: number, error: ToolErrorInfo): void {
    step.errors.push(error);
    this.#add(code, start, end, { message: error.message });
  }

  #add(code: Short, start: number, end: number, change: Parameters<typeof diagnostic>[3] = {}): void {
    const made = diagnostic(code, start, end, change);
    if (made.severity === "warning" && !this.#options.allows(made.code)) made.severity = "error";
    this.#found.push(made);
  }
}

/** The parameter that a field means: the one that is spelled just so, else the one that {@link findParam} finds. */
function bind(
  { key }: Field,
  { kind, name }: StepPlace,
  tool: ToolDefinition,
  brief: boolean,
): ReturnType<typeof findParam> {
  const bare = key.slice(0, key.length - normalizeKey(key).length + name.length);
  const exact = kind === "param" && bare !== name && declaredParams(tool).schemas.has(bare);
  return exact ? { name: bare } : findParam(name, tool, brief);
}

/** A key at the start of a line or behind a closer, with a separator or an opener; within a line, with both. */
const likeField =
  /(?:^[ \t]*|[«《<][ \t]*|[ \t])([\p{L}\p{N}_-]{1,100})[ \t]{0,9}(?:[:：=][ \t]{0,9}(?=[»》])|(?<=(?:\n|^|[«《<])[ \t]{0,99}[\p{L}\p{N}_-]{1,100}[ \t]{0,9})[:：»])/gmu;

/** The name in a command: it has no line break, whatever an unclosed value took in. */
function toolNameOf({ value }: Field): string {
  return (value.split("\n", 1)[0] ?? "").trimEnd();
}

function stretch({ span }: TamStep, { keyStart, end }: Field): void {
  span.start = Math.min(span.start, keyStart);
  span.end = Math.max(span.end, end);
}
