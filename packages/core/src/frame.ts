import { checkKeys } from "@toolglot/internal";
import type { Diagnostic } from "./diagnostic.ts";
import { LineCounter } from "./line-counter.ts";

/** How a diagnostic is printed. */
export interface FormatDiagnosticOptions {
  /** Of the same text, when many diagnostics are printed. */
  lines?: LineCounter;
  /** Columns of the source line at most; a longer one is cut around the span. Default 80, at least 20. */
  width?: number;
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const tabSize = 4;

/**
 * Returns a diagnostic for people: code, place and message, the source line with carets under the span, and the hint.
 *
 * ```text
 * error attp/invalid-status at 2:10: status is "done"
 * status = "done"
 *          ^^^^^^
 * hint: write status = "success" or status = "fail"
 * ```
 *
 * Columns are counted as a terminal shows them: tabs are expanded, East Asian characters take two. Control and
 * direction characters are shown as `�`, so that a model's text can't act on the terminal.
 *
 * @example
 * ```ts
 * const text = 'status = "done"';
 * const message = 'status is "done"';
 * const diagnostic = { code: "attp/invalid-status", severity: "error", message, span: { start: 9, end: 15 } } as const;
 * const lines = formatDiagnostic(text, diagnostic).split("\n");
 * // ["error attp/invalid-status at 1:10: status is \"done\"", "status = \"done\"", "         ^^^^^^"]
 * ```
 */
export function formatDiagnostic(
  text: string,
  diagnostic: Pick<Diagnostic, "code" | "severity" | "message" | "span" | "hint">,
  options: FormatDiagnosticOptions = {},
): string {
  checkKeys("formatDiagnostic", options, "lines:object width:number");
  const { code, severity, message, span, hint } = diagnostic;
  const { line, column } = (options.lines ?? new LineCounter(text)).position(span.start);
  const rows = [
    `${severity} ${code} at ${line}:${column}: ${visible(message)}`,
    ...sourceFrame(text, span, options.width),
  ];
  if (hint !== undefined) rows.push(`hint: ${visible(hint)}`);
  return rows.join("\n");
}

/** Returns the source line and the carets under it; nothing when the line is empty. */
export function sourceFrame(text: string, span: Diagnostic["span"], width = 80): string[] {
  const room = Math.max(20, width);
  const at = Math.min(Math.max(0, span.start), text.length);
  // Far more than can be shown, far less than a hostile line can be long.
  const from = Math.max(0, at - room * 8);
  const before = /[^\r\n]*$/.exec(text.slice(from, at))?.[0] ?? "";
  const after = /^[^\r\n]*/.exec(text.slice(at, at + room * 8))?.[0] ?? "";
  const marked = Math.max(0, Math.min(after.length, span.end - at));
  if (before + after === "") return [];

  const head = cells(before, 0);
  const body = cells(after.slice(0, marked), columns(head));
  const tail = cells(after.slice(marked), columns(head) + columns(body));
  const lead = Math.max(room - Math.min(columns(body) + columns(tail), room >> 1), 1);
  const cutHead = columns(head) > lead || before.length === room * 8;
  const shownHead = cutHead ? ["…", ...takeStart(head.toReversed(), lead - 1).reverse()] : head;
  const rest = [...body, ...tail];
  const space = room - columns(shownHead);
  const cutTail = columns(rest) > space || after.length === room * 8;
  const shownRest = cutTail ? [...takeStart(rest, space - 1), "…"] : rest;
  const carets = Math.min(columns(body), columns(shownRest)) || 1;
  return [shownHead.join("") + shownRest.join(""), " ".repeat(columns(shownHead)) + "^".repeat(carets)];
}

/** Characters as they are shown, tabs as spaces; `column` is where the first one stands. */
function cells(text: string, column: number): string[] {
  let at = column;
  return Array.from(text, (character) => {
    const cell = character === "\t" ? " ".repeat(tabSize - (at % tabSize)) : visible(character);
    at += cellWidth(cell);
    return cell;
  });
}

function cellWidth(cell: string): number {
  if (/^ /.test(cell)) return cell.length;
  if (/^\p{M}/u.test(cell)) return 0;
  return wide.test(cell) ? 2 : 1;
}

function columns(list: readonly string[]): number {
  let sum = 0;
  for (const cell of list) sum += cellWidth(cell);
  return sum;
}

function takeStart(list: readonly string[], room: number): string[] {
  let sum = 0;
  let count = 0;
  while (count < list.length && sum + cellWidth(list[count] as string) <= room)
    sum += cellWidth(list[count++] as string);
  return list.slice(0, count);
}

function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, "�");
}
