import type { ToolSet } from "../tools.ts";
import type { DialectEvent } from "../types.ts";
import { BlockDraft } from "./block-draft.ts";
import type { CallHost } from "./call-draft.ts";
import type { Cursor, Reading } from "./cursor.ts";
import { behindSpace } from "./marks.ts";
import { isMarkless, type RowMarks } from "./row-marks.ts";
import { type MarklessRuns, type Place, type RunEnd, readRun } from "./run-reader.ts";

/** Names stand so near to the beginning of a JSON object. */
const maxNameOffset = 400;
const object = /^(?:\[\s{0,20})?\{\s{0,40}["']/;
const mayBeObject = /^(?:\[\s{0,20})?(?:\{\s{0,40})?$/;
const wrapsCall = /^\[?\s{0,20}\{\s{0,40}["'](?:tool_calls|type|function|id)["']/;

/**
 * Finds what is left of calls but for objects: the dialect, or `"more"` when only more text decides. `isFirst`: the message begins there;
 * `mayGrow`: more text may come.
 */
export type FindForm = (
  head: string,
  rows: readonly RowMarks[],
  names: BareNames,
  isFirst: boolean,
  mayGrow: boolean,
) => RowMarks | "more" | undefined;

/** Whether a text may mean something else in another dialect that writes the same calls. */
export type DoubtText = (written: string, marks: RowMarks, rows: readonly RowMarks[]) => boolean;

/** Which names are those of calls. */
export interface BareNames {
  knows(name: string): boolean;
  /** Whether a name that has begun may become a known one. */
  mayBeKnown(begun: string): boolean;
}

/** Finds calls without marks, by the names of tools: what begins a line, and whose call it may be. */
export class BareCalls implements MarklessRuns, BareNames {
  readonly #rows: readonly RowMarks[];
  readonly #tools: ToolSet;
  readonly #takesAnyName: boolean;
  readonly #findForm: FindForm | undefined;
  readonly #doubts: DoubtText | undefined;
  /** Before this offset of the text nothing is a call: a run up to here was none, and one within it would end likewise. */
  textUntil = 0;

  /** @param takesAnyName If no tools are given, every name counts. */
  constructor(
    rows: readonly RowMarks[],
    tools: ToolSet,
    takesAnyName: boolean,
    findForm?: FindForm,
    doubts?: DoubtText,
  ) {
    this.#rows = rows;
    this.#findForm = findForm;
    this.#doubts = doubts;
    this.#tools = tools;
    this.#takesAnyName = takesAnyName && !tools.isGiven;
  }

  /** Whether a name is one of a call. */
  knows(name: string): boolean {
    return this.#takesAnyName || this.#tools.has(name);
  }

  /** Reads a run: its calls are calls only if all of them name tools, and nothing but them stands on their lines. */
  *read(start: number, host: CallHost, cursor: Cursor, marks: RowMarks, place: Place): Reading<RunEnd> {
    const events: DialectEvent[] = [];
    const onEvent =
      host.onEvent &&
      ((event: DialectEvent) => {
        const before = events.at(-1);
        // Pieces of one value, which all have to wait.
        if (event.type === "argument-delta" && before?.type === "argument-delta") before.text += event.text;
        else events.push(event);
      });
    const block = new BlockDraft(marks.row, { ...host, onEvent }, start, place.inReasoning);
    const knows = (name: string | undefined): boolean => name !== undefined && this.knows(name);
    const isDoubtful = (written: string): boolean => this.#doubts?.(written, marks, this.#rows) === true;
    const done = yield* readRun(block, cursor, marks, { ...place, knows, isDoubtful });
    const { calls, rejected, status } = done.block;
    const areKnown = [...calls, ...rejected].every(({ name }) => knows(name));
    if (!areKnown || status === "invalid" || !(yield* endsLine(cursor, done.end))) {
      this.textUntil = block.failedAt ?? done.end;
      return { segments: [], end: start };
    }
    return { ...done, events };
  }

  /** Returns the dialect of what may be a call at an index; `"more"` when only more text decides. `isFirst`: the message begins there. */
  find(text: string, at: number, ended: boolean, isFirst: boolean): RowMarks | "more" | undefined {
    if (this.#rows.length === 0 || (!this.#takesAnyName && this.#tools.names.length === 0)) return undefined;
    const start = behindSpace(text, at);
    const head = text.slice(start, start + maxNameOffset);
    const isShort = head.length < maxNameOffset && !ended;
    const unit = head.charAt(0);
    if (unit === "{" || unit === "[") {
      if (isShort && mayBeObject.test(head)) return "more";
      if (object.test(head)) return this.#object(head, isShort);
    }
    return this.#findForm?.(head, this.#rows, this, isFirst, isShort && head.length < 200);
  }

  #object(head: string, isShort: boolean): RowMarks | "more" | undefined {
    const rows = this.#rows.filter(({ row }) => row.engine === "json" && row.call.name.at === "key");
    const name = /["'](?:name|tool_name)["']\s{0,20}:\s{0,20}(?:"([^"\n]{1,100})"|'([^'\n]{1,100})')/.exec(head);
    if (!name) return isShort ? "more" : undefined;
    if (!this.knows(name[1] ?? name[2] ?? "")) return undefined;
    if (wrapsCall.test(head)) return rows.find(({ row }) => !row.write) ?? rows[0];
    // Keys of one dialect alone show it; else the first that has them.
    const key = /["'](parameters|arguments|input|args)["']\s{0,20}:/.exec(head)?.[1];
    if (key === undefined && isShort) return "more";
    const python = /^[[{\s]*'/.test(head);
    const fits = rows.filter(({ row }) => (row.values === "python") === python);
    const own = fits.filter(isMarkless);
    const first = own.find(({ row }) => row.arguments.keys?.[0] === key);
    return first ?? own.find(({ row }) => row.arguments.keys?.includes(key ?? "")) ?? own[0] ?? fits[0];
  }

  mayBeKnown(begun: string): boolean {
    return this.#takesAnyName || this.#tools.names.some((name) => name.startsWith(begun) || begun.startsWith(name));
  }
}

/** Whether no text stands behind an offset on its line. */
function* endsLine(cursor: Cursor, end: number): Reading<boolean> {
  cursor.source.seek(end);
  if (end > 0 && cursor.slice(end - 1, end) === "\n") return true;
  for (;;) {
    const { text, at } = cursor.source;
    const found = /\S|\n/.exec(text.slice(at));
    if (found) return found[0] === "\n";
    if (!(yield* cursor.wait())) return true;
  }
}
