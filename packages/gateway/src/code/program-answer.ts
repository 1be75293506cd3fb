import type { JsonObject, JsonValue, LogEntry } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import type { SandboxError, SandboxLanguage, SandboxRun, SandboxRunError, SandboxRunParked } from "@toolglot/sandbox";
import type { Outcome, ToolAnswer } from "@toolglot/trp-mcp";
import { callMembers, callName, linesBefore } from "./prelude.ts";
import type { ProgramCalls, WaitingCall } from "./program-calls.ts";

/** Bytes of a value, and of what was printed: 2,000 tokens each. */
const maxBytes = 8_000;
/** Calls, and notes, that an answer names. */
const maxLines = 20;
/** Characters of a note. */
const maxNote = 400;
const noteStart = `${callName}: `;

/** A call of a program, in `_meta["toolglot/calls"]`. */
type CallLine = JsonObject & { tool: string; status: string };

/** The answer when a program has ended. `replayedAt`: it ended before, then. */
export function endedAnswer(
  run: SandboxRun,
  {
    receipt,
    language,
    calls,
    replayedAt,
  }: { receipt: string; language: SandboxLanguage; calls: ProgramCalls; replayedAt?: string },
): ToolAnswer {
  const lines = callLines(run, calls);
  const dispatched = lines.some(isDispatched);
  const more = [printed(run), notes(run)];
  if (run.status === "ok") {
    const before =
      replayedAt !== undefined &&
      `This program was run at ${replayedAt}, by this caller; this is what it came to. Nothing was done now. To do it once more, change its text.`;
    const status = replayedAt === undefined ? "done" : "replayed";
    const outcome: Outcome = { status, dispatched, receipt, ...defined({ doneAt: replayedAt }) };
    return answer([before, valueText(run.value), ...more], outcome, { lines });
  }
  const outcome: Outcome = { status: "failed", dispatched, receipt };
  return answer([errorText(run.error, linesBefore(language)), ...more, madeText(lines)], outcome, {
    lines,
    isError: true,
  });
}

/** The answer when a program waits. */
export function pendingAnswer(
  run: SandboxRunParked,
  { receipt, calls }: { receipt: string; calls: ProgramCalls },
): ToolAnswer {
  const { waiting } = calls;
  const lines = callLines(run, calls);
  const askable = waiting.find(({ question }) => question !== undefined);
  const asked = askable ?? waiting.find(({ outcome }) => outcome.approvalId !== undefined);
  const fix =
    asked === undefined
      ? `Go on later with toolglot_run ${JSON.stringify({ resume: receipt })}.`
      : `Tell the user. Once it is approved, go on with toolglot_run ${JSON.stringify({ resume: receipt })}: what was done is not done again.`;
  const { approvalId, approvalUrl, code = "TRP_3003" } = (asked ?? waiting[0])?.outcome ?? {};
  const outcome: Outcome = {
    ...{ status: "pending", code, dispatched: lines.some(isDispatched), receipt, fix },
    ...defined({ approvalId, approvalUrl }),
  };
  const text = ["The program waits:", ...waiting.slice(0, maxLines).map(waitingLine), fix].join("\n");
  const made = answer([text, printed(run), madeText(lines)], outcome, { lines, isError: true });
  return { ...made, ...(askable?.question && { question: askable.question }) };
}

/** The answer when a program was stopped in the middle, and can go on. */
export function stoppedAnswer(
  run: SandboxRunError,
  { receipt, calls }: { receipt: string; calls: ProgramCalls },
): ToolAnswer {
  const lines = callLines(run, calls);
  const fix = `Go on with toolglot_run ${JSON.stringify({ resume: receipt })}: what was done is not done again.`;
  const outcome: Outcome = { status: "pending", dispatched: lines.some(isDispatched), receipt, fix };
  const text = `The program was stopped: ${run.error.message}. ${fix}`;
  return answer([text, printed(run), madeText(lines)], outcome, { lines, isError: true });
}

/** An answer when no program was run, or it is not known what became of it. */
export function toldAnswer(outcome: Outcome, message: string): ToolAnswer {
  return answer([[message, outcome.fix].filter(Boolean).join(" ")], outcome, { isError: true });
}

function answer(
  texts: readonly (string | undefined | false)[],
  outcome: Outcome,
  { lines = [], isError }: { lines?: readonly CallLine[]; isError?: true },
): ToolAnswer {
  const content = texts.filter((text) => typeof text === "string").map((text) => ({ type: "text", text }));
  const _meta: JsonObject = { "toolglot/outcome": outcome as unknown as JsonObject };
  if (lines.length > 0) _meta["toolglot/calls"] = lines as readonly JsonValue[] as JsonValue[];
  return { result: { content, ...(isError && { isError }), _meta }, outcome };
}

function valueText(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return cut(text, "value", "Return less: the fields and rows that are needed.");
}

function printed({ logs }: Pick<SandboxRun, "logs">): string | undefined {
  const lines = logs.filter((entry) => !isNote(entry)).map(({ text }) => text);
  const text = lines.join("\n").trimEnd();
  return text === "" ? undefined : `Printed:\n${cut(text, "output", "Print less.")}`;
}

function notes({ logs, stats }: Pick<SandboxRun, "logs" | "stats">): string | undefined {
  const all = [...logs.filter(isNote).map(({ text }) => text.slice(noteStart.length)), ...stats.warnings];
  if (all.length === 0) return undefined;
  return ["Notes:", ...all.slice(0, maxLines).map((line) => `- ${line.slice(0, maxNote)}`)].join("\n");
}

/** A note of a call stands with what the program prints. */
function isNote({ text }: LogEntry): boolean {
  return text.startsWith(noteStart);
}

/** Keeps the beginning and the end, and notes what is not there. */
function cut(text: string, what: string, cure: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const mark = `\n[Here ${bytes.length - maxBytes} of ${bytes.length} bytes of the ${what} are left out. ${cure}]\n`;
  const tail = maxBytes / 4;
  return `${startOf(bytes, maxBytes - tail)}${mark}${endOf(bytes, tail)}`;
}

/** Half a character at the cut is left out. */
function startOf(bytes: Buffer, length: number): string {
  return new TextDecoder().decode(bytes.subarray(0, length), { stream: true });
}

function endOf(bytes: Buffer, length: number): string {
  let from = bytes.length - length;
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
  return bytes.toString("utf8", from);
}

function errorText({ type, message, line, sourceLine, hint = "" }: SandboxError, before: number): string {
  const own = line !== undefined && line > before ? line - before : undefined;
  const where = own === undefined ? "" : ` in line ${own}`;
  const source = own !== undefined && sourceLine !== undefined ? `\n  ${sourceLine.trim()}` : "";
  // The program knows nothing of the function that all its calls go through.
  const said = message.replace(`${callName}()`, "a tool").replace(`${callMembers.args}.`, "");
  return `${type}${where}: ${said}${source}${hint === "" || hint.includes(callName) ? "" : `\nHint: ${hint}`}`;
}

/** The program's calls, those of an earlier process included. */
function callLines({ toolCalls }: Pick<SandboxRun, "toolCalls">, calls: ProgramCalls): CallLine[] {
  return toolCalls
    .filter(({ name }) => name === callName)
    .map(({ callId, args, ok, error, replayed }) => {
      const { [callMembers.server]: server, [callMembers.tool]: tool } = args;
      const outcome = calls.outcomes.get(callId);
      const earlier = ok ? "done" : error === undefined ? "pending" : "failed";
      const { status = earlier, dispatched = replayed === true && ok, receipt, code } = outcome ?? {};
      const shown = server === "" ? String(tool) : `${server}.${tool}`;
      return { tool: shown, status, dispatched, ...defined({ receipt, code }) };
    });
}

function isDispatched({ dispatched }: CallLine): boolean {
  return dispatched === true;
}

/** What was done before a program failed, or waits: a model that tries again must know. */
function madeText(lines: readonly CallLine[]): string | undefined {
  if (lines.length === 0) return undefined;
  const shown = lines.slice(-maxLines).map(({ tool, status }) => `- ${tool}: ${status}`);
  const more = lines.length > maxLines ? [`- and ${lines.length - maxLines} before these`] : [];
  return ["Calls that it made:", ...more, ...shown].join("\n");
}

function waitingLine({ tool, outcome }: WaitingCall): string {
  const { approvalUrl, approvalId } = outcome;
  if (approvalId === undefined) return `- ${tool.shownName}: an earlier call of the same effect runs`;
  const where = approvalUrl === undefined ? `approval ${approvalId}` : approvalUrl;
  return `- ${tool.shownName}: it needs an approval (${where})`;
}
