import { createRecord, type Diagnostic, type Span, type ToolDefinition, type ToolErrorInfo } from "@toolglot/core";
import { boundFindings, foreignCloser } from "@toolglot/core/text";
import { diagnostic } from "../diagnostics.ts";
import { readHinted } from "../hints.ts";
import { declaredParams, findTool, hintsAtMost, matchName, quote } from "../names.ts";
import type { Field, Scan } from "../scan/scan.ts";
import type { TamBlock, TamStep, TamTypeHint } from "../types.ts";
import { bind, type FieldPlaces, type StepPlace, toolNameOf } from "./field-places.ts";
import { hasInvisibleEdge, isDressedLine, isUneven } from "./value.ts";

type Short = Parameters<typeof diagnostic>[0];

/** A step on its way, with what findings need. */
interface Draft {
  step: TamStep;
  tool: ToolDefinition | undefined;
  /** Fields of its parameters, by name, for findings about their values. */
  fields: Map<string, Field>;
}

/** Makes a block of all its fields, and finds what is wrong with them. */
export class BlockMaker {
  readonly #tools: readonly ToolDefinition[] | undefined;
  /** Whether a repair may be made; without it, its finding is an error. */
  readonly #allows: (code: string) => boolean;
  readonly #places: FieldPlaces;
  readonly #found: Diagnostic[] = [];
  /** Unknown names so far. */
  #hints = 0;
  /** Numbers of fields that a later one takes the place of. */
  readonly replaced: Set<number> = new Set();

  constructor(tools: readonly ToolDefinition[] | undefined, allows: (code: string) => boolean, places: FieldPlaces) {
    this.#tools = tools;
    this.#allows = allows;
    this.#places = places;
  }

  make(scan: Scan): TamBlock {
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
    const placed = scan.fields.map((field) => [field, this.#places.of(field).place] as const);
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
      if (index > (block.steps[at - 1]?.index ?? index) + 1) this.#add("step-gap", span.start, span.end);
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
    const found = this.#tools && findTool(written, this.#tools, this.#hints >= hintsAtMost);
    const tool = found && "tool" in found ? found.tool : undefined;
    const step = makeStep(index, tool?.name ?? written, { start: field.keyStart, end: field.end });
    if (found && "error" in found && written !== "") {
      this.#hints += 1;
      this.#fault(step, "unknown-tool", field.bodyStart, field.bodyEnd, found.error);
    }
    return { step, tool, fields: new Map() };
  }

  /** Adds a field to its step. */
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
      step.params[name] = this.#places.decoded(field, place) ?? value;
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

  /** Searches values for a parameter that is missing: it may stand in one whose closer was lost, with its own opener. */
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

  /** Checks whether a value of one line stands in what may be no part of it. */
  #checkEdges({ raw, value, bodyStart, bodyEnd }: Field): void {
    const closer = foreignCloser(raw, "tam");
    if (closer) this.#add("foreign-closer", bodyStart + closer.start, bodyStart + closer.end);
    if (isDressedLine(value)) this.#add("dressed-value", bodyStart, bodyEnd);
  }

  #checkHints({ step, fields }: Draft): void {
    for (const [name, field] of fields) {
      // The hint of a JSON string is about how it is written, and is no part of the step.
      if (this.#places.decoded(field, this.#places.of(field).place) !== undefined) delete step.typeHints[name];
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
    this.replaced.add(before.number);
    // The same twice is no matter; another value may be that of another block.
    this.#add("duplicate-key", keyStart, keyEnd, {
      message: `${quote(key)} is given twice; the last one counts.`,
      affects: before.raw.trim() === field.raw.trim() ? "structure" : "value",
    });
  }

  /** Reports a fault that only its step has to bear. */
  #fault(step: TamStep, code: Short, start: number, end: number, error: ToolErrorInfo): void {
    step.errors.push(error);
    this.#add(code, start, end, { message: error.message });
  }

  #add(code: Short, start: number, end: number, change: Parameters<typeof diagnostic>[3] = {}): void {
    const made = diagnostic(code, start, end, change);
    if (made.severity === "warning" && !this.#allows(made.code)) made.severity = "error";
    this.#found.push(made);
  }
}

/** A key at the start of a line or behind a closer, with a separator or an opener; within a line, with both. */
const likeField =
  /(?:^[ \t]*|[«《<][ \t]*|[ \t])([\p{L}\p{N}_-]{1,100})[ \t]{0,9}(?:[:：=][ \t]{0,9}(?=[»》])|(?<=(?:\n|^|[«《<])[ \t]{0,99}[\p{L}\p{N}_-]{1,100}[ \t]{0,9})[:：»])/gmu;

function stretch({ span }: TamStep, { keyStart, end }: Field): void {
  span.start = Math.min(span.start, keyStart);
  span.end = Math.max(span.end, end);
}

/** Creates a step that has nothing but its tool. */
export function makeStep(index: number, tool: string, span: Span = { start: 0, end: 0 }): TamStep {
  return {
    index,
    tool,
    params: createRecord(),
    raw: createRecord(),
    uris: createRecord(),
    typeHints: createRecord(),
    onError: "stop",
    retry: 0,
    errors: [],
    span,
  };
}
