import type { Writable } from "node:stream";
import { confirm, isCancel } from "@clack/prompts";
import type { ApproveCallback } from "@toolglot/agent";
import type { ApprovalRequest, Decision } from "@toolglot/core";
import { visible } from "../view/visible.ts";

/** How approvals are decided. */
export interface ApprovalOptions {
  /** Approve everything. */
  yes: boolean;
  /** Where a person can be asked; without it every request is denied. */
  terminal?: { output: Writable };
  /** Called when the person answers with Ctrl-C. */
  onCancel?: () => void;
}

/** Asks at the terminal, or decides without one and says so in the decision. */
export function approver({ yes, terminal, onCancel }: ApprovalOptions): ApproveCallback {
  return async (request, { signal }): Promise<Decision> => {
    if (yes) return { approved: true, by: "--yes" };
    if (!terminal) {
      return {
        approved: false,
        reason: "no terminal to ask at; --yes approves without asking",
        by: "the command line",
      };
    }
    const answer = await confirm({
      message: questionText(request),
      initialValue: false,
      signal,
      output: terminal.output,
    });
    if (isCancel(answer)) {
      if (!signal.aborted) onCancel?.();
      return { approved: false, reason: "cancelled" };
    }
    return answer ? { approved: true, by: "you" } : { approved: false, reason: "you said no", by: "you" };
  };
}

function questionText({ tool, input, reason, kind }: ApprovalRequest): string {
  if (kind === "echoed-block") return `${visible(reason)} Run it?`;
  // A router shows the whole request in words of its own.
  if (reason.includes("\n")) return `Run ${tool}?\n${visible(reason).replaceAll(/^/gm, "  ")}`;
  const lines = Object.entries((input ?? {}) as Record<string, unknown>).map(
    ([name, value]) => `  ${name}: ${visible(typeof value === "string" ? value : JSON.stringify(value))}`,
  );
  return `Run ${tool}?\n${lines.join("\n")}`;
}
