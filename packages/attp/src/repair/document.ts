import { foreignCloser } from "@toolglot/core/text";
import { type DiagnosticChange, isDressed, withoutInvisible } from "@toolglot/internal";
import type { ShortCode } from "../diagnostics.ts";
import type { Entry, Scan } from "../scan/entry.ts";
import type { Field } from "../scan/patterns.ts";
import type { AttpDocument, AttpToolCall } from "../types.ts";
import { commonIndent, dedent, linesInLiterals, unwrapFence } from "./code.ts";
import { type Fields, readFields, unknownEntries } from "./fields.ts";
import type { Judge } from "./judge.ts";
import { isMultiLine, rawBody } from "./strings.ts";

/** Makes the document of a scan. */
export function readDocument(scan: Scan, judge: Judge): AttpDocument {
  const fields = readFields(scan, judge);
  const cut = scan.entries.find((entry) => entry.cut);
  if (scan.truncated) judge.add("truncated", cut?.valueStart ?? scan.end, scan.end);
  else judgeFence(scan, judge);
  return judgeFields(fields, scan, judge);
}

/** Reports a fence that nothing closes. */
export function judgeFence({ fence, closedFence, start }: Scan, judge: Judge): void {
  if (!fence || closedFence) return;
  judge.add(judge.allows("unclosed-fence") ? "unclosed-fence" : "syntax", fence.start, start);
}

/** Judges the fields of a document, and makes it. */
export function judgeFields(fields: Fields, scan: Scan, judge: Judge): AttpDocument {
  const { values, entries, extra, fallback } = fields;
  const { start, end, truncated } = scan;
  const report = (code: ShortCode, field: Field, change?: DiagnosticChange): void => {
    const entry = entries.get(field);
    if (!entry) judge.add(code, fallback.start, fallback.end, change);
    else if (code.startsWith("unused")) judge.add(code, entry.keyStart, entry.keyEnd);
    else judge.add(code, entry.valueStart, entry.valueEnd, change);
  };
  const text = (field: Field): string | undefined => {
    const value = values.get(field);
    if (typeof value === "string") return value;
    if (values.has(field)) report("invalid-type", field);
    return undefined;
  };
  const isMissing = (field: Field): boolean => !truncated && !values.has(field);
  const thought = text("thought");
  const first = Math.min(start + 1, end);
  if (isMissing("thought")) judge.add("missing-thought", start, first);
  const [target, message, written] = [text("target"), text("message"), text("code")];
  if (target !== undefined) {
    const { bodyStart, bodyEnd, valueStart, valueEnd } = entries.get("target") ?? {};
    const isPlaced = bodyStart !== undefined && valueStart !== undefined;
    const body = isPlaced ? scan.source.slice(bodyStart, bodyEnd ?? bodyStart) : target;
    checkEdges(body, valueStart ?? fallback.start, valueEnd ?? fallback.end, judge);
  }
  const { code, rawCode } = readCode(written, entries.get("code"), scan, judge);

  const readStatus = (): "success" | "fail" | undefined => {
    const word = text("status")?.trim().toLowerCase();
    if (word === "success" || word === "fail") return word;
    if (word === "failed" || word === "error") {
      report("status-synonym", "status");
      return "fail";
    }
    const meant = code !== undefined ? "success" : message !== undefined ? "fail" : undefined;
    if (values.has("status")) {
      if (word !== undefined && !truncated) report("invalid-status", "status");
      return undefined;
    }
    if (truncated) return meant;
    const isAllowed = !meant || judge.allows("missing-status");
    const found = !meant ? "missing-tool-call" : isAllowed ? "missing-status" : "invalid-status";
    const change = isAllowed ? {} : { message: "There is no status." };
    if (fields.hasCall) report(found, "status", change);
    else judge.add(found, start, first, change);
    return meant;
  };

  const makeCall = (status: "success" | "fail" | undefined): AttpToolCall | undefined => {
    if (status === "success") {
      if (!code?.trim()) {
        if (isMissing("code") || (code !== undefined && !truncated)) report("missing-code", "code");
      } else if (isMissing("target")) report("missing-target", "target");
      if (code !== undefined && message !== undefined) report("unused-message", "message");
    } else if (status) {
      if (isMissing("message")) report("missing-message", "message");
      if (code !== undefined) report("unused-code", "code");
    }
    if (!status || (code ?? (status === "fail" ? message : undefined)) === undefined) return undefined;
    const call: Partial<Record<"target" | "message" | "code" | "rawCode", string>> & { status: "success" | "fail" } =
      status === "success" ? { status, code: code ?? "" } : { status, message: message ?? "" };
    if (target !== undefined) call.target = target;
    if (message !== undefined) call.message = message;
    if (code !== undefined) call.code = code;
    if (rawCode !== undefined) call.rawCode = rawCode;
    return call as AttpToolCall;
  };

  const status = readStatus();
  for (const [from, to] of unknownEntries(extra, scan)) judge.add("unknown-key", from, to);
  const document: AttpDocument = { status: "complete", extra, span: { start, end } };
  if (thought !== undefined) document.thought = thought;
  const call = makeCall(status);
  if (call) document.toolCall = call;
  const entry = entries.get("code");
  if (entry && written !== undefined) document.codeSpan = { start: entry.bodyStart, end: entry.bodyEnd };
  document.status = judge.status(truncated);
  return document;
}

/** Takes off what models put around code: fences, indentation. */
function readCode(
  written: string | undefined,
  entry: Entry | undefined,
  { source, fence, indent, start: documentStart, end: documentEnd }: Scan,
  judge: Judge,
): { code?: string; rawCode?: string | undefined } {
  if (written === undefined) return {};
  if (!entry) {
    checkEdges(written, documentStart, documentEnd, judge);
    return { code: written };
  }
  const { form, valueStart: start, valueEnd: end } = entry;
  // As it is written: what is escaped was meant.
  if (foreignCloser(source.slice(entry.bodyStart, entry.bodyEnd), "attp")) judge.add("foreign-closer", start, end);
  let code = written;
  let rawCode: string | undefined;
  if (indent > 0) {
    const raw = source.slice(entry.bodyStart, entry.bodyEnd).replaceAll("\r\n", "\n").replace(/^\n/, "");
    reportIndent("indented", raw, written, judge, fence?.start ?? documentStart, documentStart);
  }
  if (form === "backticks") code = code.replace(/[ \t]+$/, "");
  else if (!isMultiLine(entry)) {
    checkEdges(source.slice(entry.bodyStart, entry.bodyEnd), start, end, judge);
    return { code };
  }
  if (form === "multi-basic") {
    const raw = rawBody(source, entry, indent);
    if (raw !== code && /(?<!\\)(?:\\\\)*\\[ntrbf]/.test(raw)) {
      rawCode = raw;
      if (judge.allows("basic-string-code")) judge.add("basic-string-code", start, end);
    }
  }
  const inner = form !== "backticks" && judge.allows("nested-fence") ? unwrapFence(code, judge.language) : undefined;
  if (inner) {
    const { foreign } = inner;
    const message =
      foreign && `The code is wrapped in a fence named ${JSON.stringify(foreign.slice(0, 40))}; it was taken off.`;
    judge.add("nested-fence", start, end, { message });
    code = inner.code;
  }
  const shown = judge.allows("invisible-characters") && !entry.escapes ? withoutInvisible(code) : code;
  if (shown !== code) judge.add("invisible-characters", start, end);
  code = shown;
  const common = judge.allows("dedented") ? commonIndent(code) : "";
  if (common !== "") {
    const flush = dedent(code, common);
    reportIndent("dedented", code, flush, judge, start, end);
    if (form !== "backticks") rawCode ??= written;
    code = flush;
  }
  return { code, rawCode };
}

/** Checks whether a value of one line stands in what may be no part of it. Escapes show that it is meant so. */
function checkEdges(body: string, start: number, end: number, judge: Judge): void {
  if (!body.includes("\n") && isDressed(body)) judge.add("dressed-value", start, end);
}

/** Reports that lines lost indentation, and whether one of them stands inside a string literal. */
function reportIndent(
  code: "indented" | "dedented",
  before: string,
  after: string,
  judge: Judge,
  start: number,
  end: number,
): void {
  const old = before.split("\n");
  const literal = linesInLiterals(after, judge.language);
  const changed = after.split("\n").some((line, number) => literal.has(number) && line !== old[number]);
  judge.add(code, start, end, { affects: changed ? "value" : "none" });
}
