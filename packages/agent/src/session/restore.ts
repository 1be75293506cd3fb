import type { Action, ApprovalRequest, Decision, Message, ToolResult, Usage } from "@toolglot/core";
import { resultMessage } from "../loop/conversation.ts";
import { unpackActions } from "../loop/pack-actions.ts";
import { addChildren } from "../loop/usage.ts";
import type { RunStatus, RunStep } from "../result.ts";
import { readLine, type SessionLine, sessionInvalid } from "./lines.ts";
import type { Asked, OpenAnswer, SessionCounts } from "./types.ts";

/** An answer whose actions were not over, and how far they were. */
export interface OpenStep extends OpenAnswer {
  /** Of its actions that are over, in order. */
  results: ToolResult[][];
  /** Calls of the others that were begun, and those that had ended. */
  started: Set<string>;
  ended: Map<string, ToolResult>;
}

/** A run as its log has it. */
export interface Restored {
  head: Extract<SessionLine, { type: "head" }>;
  /** How it ended, when it has. `usage`: with what its tools used. */
  ended: { status: RunStatus; text: string; usage: Usage } | undefined;
  /** Where it continues: with a request, an action that was under way, or calls that wait for decisions. */
  from: "model" | "action" | "approval";
  messages: Message[];
  results: ToolResult[];
  steps: RunStep[];
  stepIndex: number;
  counts: SessionCounts;
  /** Visible text of the last answer. */
  text: string;
  /** Whether the model is to correct its last answer, and how often in a row. */
  repairs: number;
  /** Actions that are over, with their results. */
  past: { action: Action; results: ToolResult[] }[];
  open: OpenStep | undefined;
  pending: ApprovalRequest[];
  decisions: { callId: string; asked: Asked; decision: Decision }[];
  /** Of the last step that is over. */
  lastResults: ToolResult[];
}

/** A log that was read. */
export interface ReadLog {
  lines: readonly string[];
  restored: Restored;
}

/** Reads a log. Throws `ToolglotError` `agent/session-invalid`, with `data.line`, for what is none. */
export function readLog(texts: readonly string[]): ReadLog {
  let restored: Restored | undefined;
  for (const [row, text] of texts.entries()) {
    const line = readLine(text, row);
    try {
      if (restored !== undefined) take(restored, line);
      else if (line.type === "head" && line.version === 1) restored = begun(line);
      else throw new TypeError("no head");
    } catch {
      const flaw = restored === undefined ? "is not the head of a session of version 1" : "can't stand there";
      throw sessionInvalid(flaw, row + 1);
    }
  }
  if (restored === undefined) throw sessionInvalid("is not the head of a session of version 1", 1);
  return { lines: texts, restored };
}

/** Returns a run of which only the head was read. */
function begun(head: Restored["head"]): Restored {
  const counts = { turns: 0, tokens: 0, usage: {}, denied: 0, nextCall: 0, ms: 0 };
  return {
    ...{ head, ended: undefined, from: "model", messages: [...head.messages], counts, text: "", repairs: 0 },
    ...{ results: [], steps: [], stepIndex: 0, past: [], open: undefined, pending: [], decisions: [], lastResults: [] },
  };
}

/** Adds what the next line holds. */
function take(restored: Restored, line: SessionLine): void {
  const { open } = restored;
  switch (line.type) {
    case "answer": {
      if (open) throw new TypeError("an answer before the step is over");
      const { block, notes, text, finish, usage } = line;
      restored.messages.push(...line.messages);
      restored.stepIndex = line.stepIndex;
      Object.assign(restored, { counts: line.counts, text, from: "action" });
      restored.open = {
        ...{ notes, text, finish, actions: unpackActions(line), results: [], started: new Set(), ended: new Map() },
        ...(block && { block }),
        ...(usage && { usage }),
      };
      return;
    }
    case "messages":
      restored.messages.push(...line.messages);
      return;
    case "call-start":
      open?.started.add(line.callId);
      return;
    case "call-end":
      open?.ended.set(line.callId, line.result);
      return;
    case "decision":
      restored.decisions.push(line);
      return;
    case "results":
      if (!open) throw new TypeError("results of no action");
      restored.past.push({ action: open.actions[open.results.length] as Action, results: line.results });
      restored.results.push(...line.results);
      addChildren(restored.counts, line.results);
      open.results.push(line.results);
      return;
    case "waiting":
      if (!open) throw new TypeError("nothing to wait for");
      // The action had come to rest: what it had begun and not ended had not run.
      for (const id of open.started) if (!open.ended.has(id)) open.started.delete(id);
      for (const result of line.results) open.ended.set(result.callId, result);
      Object.assign(restored, { pending: line.pending, counts: line.counts, from: "approval" });
      return;
    case "step":
      // A model that declines has no results.
      if (open && open.results.length > 0) restored.messages.push(resultMessage(open.results.flat()));
      restored.messages.push(...line.messages);
      restored.steps.push(line.step);
      Object.assign(restored, { counts: line.counts, text: line.text, from: "model", open: undefined, pending: [] });
      restored.decisions = [];
      restored.lastResults = open?.results.flat() ?? [];
      restored.stepIndex = line.step.stepIndex + 1;
      restored.repairs = line.repair ? restored.repairs + 1 : 0;
      return;
    case "end":
      restored.messages.push(...line.messages);
      restored.ended = { status: line.status, text: line.text, usage: line.counts.usage };
      return;
    case "owner":
      return;
    default:
      throw new TypeError("no such line");
  }
}
