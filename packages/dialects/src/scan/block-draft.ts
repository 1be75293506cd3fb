import type { Diagnostic, Span } from "@toolglot/core";
import type { DiagnosticChange } from "@toolglot/internal";
import { diagnostic, isRepair, type ShortCode } from "../diagnostics.ts";
import type { DialectRow } from "../table/types.ts";
import type { DialectBlock, DialectCall, RejectedCall } from "../types.ts";
import { type CallBlock, CallDraft, type CallHost } from "./call-draft.ts";

/** A block while it is read: its calls, and what was found. */
export class BlockDraft implements CallBlock {
  readonly row: DialectRow;
  readonly host: CallHost;
  readonly start: number;
  readonly calls: DialectCall[] = [];
  readonly rejected: RejectedCall[] = [];
  readonly findings: Diagnostic[] = [];
  /** It stands in reasoning, and does not reach behind its end. */
  readonly inReasoning: boolean;
  /** Where the first call that can't be read stopped. */
  failedAt: number | undefined;
  /** The text ended in one of its calls. */
  isTruncated = false;
  /** Something was repaired, or is not as it should be. */
  #isRepaired = false;
  /** It has a slip that is not allowed. */
  #isRefused = false;
  #begun = 0;

  constructor(row: DialectRow, host: CallHost, start: number, inReasoning: boolean) {
    this.row = row;
    // What is only thought may never run: nothing of it is emitted before that is known.
    this.host = inReasoning ? { ...host, onEvent: undefined } : host;
    this.start = start;
    this.inReasoning = inReasoning;
  }

  /** Begins a call at an offset. */
  begin(start: number): CallDraft {
    const call = new CallDraft(this, this.#begun, start);
    this.#begun += 1;
    return call;
  }

  /** Reports a slip of the whole block; a repair that is not allowed is an error, and nothing of the block runs. */
  slip(code: ShortCode, span: Span, change?: DiagnosticChange): void {
    if (!this.report(code, span, change)) this.#isRefused = true;
  }

  /** Reports a slip of a call; a repair that is not allowed is an error, and the call is rejected. True when it may be read as meant. */
  report(code: ShortCode, { start, end }: Span, change?: DiagnosticChange): boolean {
    const made = diagnostic(code, start, end, change);
    const repairs = isRepair(code);
    const allowed = !repairs || this.host.allows(made.code);
    if (!allowed) made.severity = "error";
    this.findings.push(made);
    if (repairs) this.#isRepaired = true;
    return allowed;
  }

  /** Returns the block, whose calls end at an offset. */
  finish(end: number): DialectBlock {
    const { calls, rejected } = this;
    const status = this.#isRefused
      ? "invalid"
      : calls.length > 0
        ? rejected.length > 0 || this.#isRepaired || calls.some(({ status }) => status === "recovered")
          ? "recovered"
          : "complete"
        : rejected.some((one) => one.status === "truncated")
          ? "truncated"
          : "invalid";
    return { status, span: { start: this.start, end }, dialect: this.row.id, calls, rejected };
  }
}
