import type { Diagnostic } from "@toolglot/core";
import { diagnostic } from "../diagnostics.ts";
import type { Entry, Scan } from "../scan/entry.ts";
import type { Field } from "../scan/patterns.ts";
import type { AttpDocument, AttpToolCall } from "../types.ts";
import { type CodeLanguage, commonIndent, dedent, linesInLiterals, unwrapFence } from "./code.ts";
import { type Fields, type Findings, readFields, unknownEntries } from "./fields.ts";
import { isMultiLine, rawBody } from "./strings.ts";

/** Where a document stands, and what is known of its end. */
export type Place = Pick<
  Scan,
  "start" | "end" | "entries" | "headers" | "fence" | "closedFence" | "indent" | "truncated"
> &
  Partial<Pick<Scan, "source">>;

/** JavaScript has no other triple quotes to use instead. */
const javascriptQuotes = `Write three quotes in the code as "'".repeat(3).`;

/** Collects findings, and the document's status with them. */
export class Judge implements Findings {
  readonly found: Diagnostic[] = [];
  constructor(
    readonly allows: Findings["allows"],
    readonly language: CodeLanguage = "python",
  ) {}

  add(found: Diagnostic): void {
    const isQuotes = found.code === "attp/inner-quotes" && this.language === "javascript";
    this.found.push(isQuotes ? { ...found, hint: javascriptQuotes } : found);
  }

  status(truncated: boolean): AttpDocument["status"] {
    if (truncated) return "truncated";
    if (this.found.some(({ severity }) => severity === "error")) return "invalid";
    const untouched = /^attp\/(?:missing-t|unused|unknown|prose|basic-string)/;
    return this.found.some(({ severity, code }) => severity === "warning" && !untouched.test(code))
      ? "recovered"
      : "complete";
  }
}

/** Makes the document of a scan. */
export function readDocument(scan: Scan, judge: Judge): AttpDocument {
  const fields = readFields(scan, judge);
  const cut = scan.entries.find((entry) => entry.cut);
  if (scan.truncated) judge.add(diagnostic("attp/truncated", cut?.valueStart ?? scan.end, scan.end));
  else if (scan.fence && !scan.closedFence) unclosedFence(scan, judge);
  return judgeFields(fields, scan, judge);
}

/** Reports a fence that nothing closes. */
export function unclosedFence({ fence, start }: Pick<Scan, "fence" | "start">, judge: Judge): void {
  const code = judge.allows("attp/unclosed-fence") ? "attp/unclosed-fence" : "attp/syntax";
  judge.add(diagnostic(code, fence?.start ?? start, start));
}

/** Judges what a document says, and makes it. */
export function judgeFields(fields: Fields, place: Place, judge: Judge): AttpDocument {
  const { values, entries, extra } = fields;
  const span = (field: Field, key = false): [number, number] => {
    const entry = entries.get(field);
    if (!entry) return [fields.fallback.start, fields.fallback.end];
    return key ? [entry.keyStart, entry.keyEnd] : [entry.valueStart, entry.valueEnd];
  };
  const text = (field: Field): string | undefined => {
    const value = values.get(field);
    if (typeof value === "string") return value;
    if (values.has(field)) judge.add(diagnostic("attp/invalid-type", ...span(field)));
    return undefined;
  };
  const thought = text("thought");
  if (thought === undefined && !values.has("thought") && !place.truncated)
    judge.add(diagnostic("attp/missing-thought", place.start, Math.min(place.start + 1, place.end)));
  const [target, message, written] = [text("target"), text("message"), text("code")];
  const code = readCode(written, entries.get("code"), place, judge);
  const status = readStatus(fields, text("status"), code.code, message, place, judge, span);
  for (const [start, end] of unknownEntries(extra, place)) judge.add(diagnostic("attp/unknown-key", start, end));
  const document: AttpDocument = { status: "complete", extra, span: { start: place.start, end: place.end } };
  if (thought !== undefined) document.thought = thought;
  const call = makeCall(
    status,
    { target, message, code: code.code, rawCode: code.rawCode },
    values,
    place,
    judge,
    span,
  );
  if (call) document.toolCall = call;
  const entry = entries.get("code");
  if (entry && written !== undefined) document.codeSpan = { start: entry.bodyStart, end: entry.bodyEnd };
  document.status = judge.status(place.truncated);
  return document;
}

function readStatus(
  { values, hasCall }: Fields,
  written: string | undefined,
  code: string | undefined,
  message: string | undefined,
  { truncated, start, end }: Place,
  judge: Judge,
  span: (field: Field, key?: boolean) => [number, number],
): "success" | "fail" | undefined {
  const word = written?.trim().toLowerCase();
  if (word === "success" || word === "fail") return word;
  if (word === "failed" || word === "error") {
    judge.add(diagnostic("attp/status-synonym", ...span("status")));
    return "fail";
  }
  const meant = code !== undefined ? "success" : message !== undefined ? "fail" : undefined;
  if (truncated) return values.has("status") ? undefined : meant;
  if (values.has("status")) {
    if (word !== undefined) judge.add(diagnostic("attp/invalid-status", ...span("status")));
    return undefined;
  }
  const place = hasCall ? span("status") : ([start, Math.min(end, start + 1)] as const);
  if (!meant) judge.add(diagnostic("attp/missing-tool-call", ...place));
  else if (judge.allows("attp/missing-status")) judge.add(diagnostic("attp/missing-status", ...place));
  else judge.add(diagnostic("attp/invalid-status", ...place, { message: "There is no status." }));
  return meant;
}

function makeCall(
  status: "success" | "fail" | undefined,
  read: {
    target: string | undefined;
    message: string | undefined;
    code: string | undefined;
    rawCode: string | undefined;
  },
  values: Fields["values"],
  { truncated }: Place,
  judge: Judge,
  span: (field: Field, key?: boolean) => [number, number],
): AttpToolCall | undefined {
  const { target, message, code, rawCode } = read;
  if (status === "success") {
    if (code === undefined || code.trim() === "") {
      if (!truncated && (code !== undefined || !values.has("code")))
        judge.add(diagnostic("attp/missing-code", ...span("code")));
      if (code === undefined) return undefined;
    } else if (target === undefined && !values.has("target") && !truncated)
      judge.add(diagnostic("attp/missing-target", ...span("target")));
    if (message !== undefined) judge.add(diagnostic("attp/unused-message", ...span("message", true)));
  } else if (status === "fail") {
    if (message === undefined && !truncated && !values.has("message"))
      judge.add(diagnostic("attp/missing-message", ...span("message")));
    if (code !== undefined) judge.add(diagnostic("attp/unused-code", ...span("code", true)));
    if (message === undefined && code === undefined) return undefined;
  } else return undefined;
  const call: Partial<Record<"target" | "message" | "code" | "rawCode", string>> & { status: "success" | "fail" } =
    status === "success" ? { status, code: code ?? "" } : { status, message: message ?? "" };
  if (target !== undefined) call.target = target;
  if (message !== undefined) call.message = message;
  if (code !== undefined) call.code = code;
  if (rawCode !== undefined) call.rawCode = rawCode;
  return call as AttpToolCall;
}

/** Takes off what models put around code: fences, indentation. */
function readCode(
  written: string | undefined,
  entry: Entry | undefined,
  place: Place,
  judge: Judge,
): { code: string | undefined; rawCode: string | undefined } {
  const result = { code: written, rawCode: undefined as string | undefined };
  if (written === undefined) return result;
  const start = entry?.valueStart ?? place.start;
  const end = entry?.valueEnd ?? place.start;
  let code = written;
  if (entry?.form === "backticks") code = code.replace(/[ \t]+$/, "");
  if (place.indent > 0 && entry && place.source) {
    const raw = place.source.slice(entry.bodyStart, entry.bodyEnd).replaceAll("\r\n", "\n").replace(/^\n/, "");
    reportIndent("attp/indented", raw, written, judge, place.fence?.start ?? place.start, place.start);
  }
  if (entry?.form === "multi-basic" && place.source) {
    const raw = rawBody(place.source, entry, place.indent);
    if (raw !== code && /(?<!\\)(?:\\\\)*\\[ntrbf]/.test(raw)) {
      result.rawCode = raw;
      if (judge.allows("attp/basic-string-code")) judge.add(diagnostic("attp/basic-string-code", start, end));
    }
  }
  if (!entry || !isMultiLine(entry)) {
    const plain = entry?.form === "backticks" ? dedentCode(code, judge, start, end) : undefined;
    if (plain !== undefined) code = plain;
    return { ...result, code };
  }
  const inner = judge.allows("attp/nested-fence") ? unwrapFence(code, judge.language) : undefined;
  if (inner !== undefined) {
    const { foreign } = inner;
    const message =
      foreign && `The code is wrapped in a fence named ${JSON.stringify(foreign.slice(0, 40))}; it was taken off.`;
    judge.add(diagnostic("attp/nested-fence", start, end, { message }));
    code = inner.code;
  }
  const flush = dedentCode(code, judge, start, end);
  if (flush !== undefined) {
    result.rawCode ??= written;
    code = flush;
  }
  return { ...result, code };
}

function dedentCode(code: string, judge: Judge, start: number, end: number): string | undefined {
  const indent = judge.allows("attp/dedented") ? commonIndent(code) : "";
  if (indent === "") return undefined;
  const flush = dedent(code, indent);
  reportIndent("attp/dedented", code, flush, judge, start, end);
  return flush;
}

/** Says that lines lost indentation, and whether one of them stands inside a string literal. */
function reportIndent(
  code: "attp/indented" | "attp/dedented",
  before: string,
  after: string,
  judge: Judge,
  start: number,
  end: number,
): void {
  const old = before.split("\n");
  const literal = linesInLiterals(after, judge.language);
  const changed = after.split("\n").some((line, number) => literal.has(number) && line !== old[number]);
  judge.add(diagnostic(code, start, end, { affects: changed ? "value" : "none" }));
}
