import type { AgentEvent } from "@toolglot/agent";
import { contentText, type ToolResult } from "@toolglot/core";
import { isLocal } from "./local-result.ts";

/** Characters of a command's output that are shown while it runs; of more, the end comes with the result. */
const maxShown = 8000;

/** What is shown of commands while they run. */
export class LiveOutput {
  readonly #shown = new Map<string, string>();

  /** What an event adds to a command's output, to be shown now; undefined when there is nothing to show. */
  take({ callId, name, data }: Extract<AgentEvent, { type: "tool-call-progress" }>): string | undefined {
    const { output } = (data ?? {}) as { output?: unknown };
    const shown = this.#shown.get(callId) ?? "";
    if (!isLocal(name) || typeof output !== "string" || shown.length + output.length > maxShown) return undefined;
    this.#shown.set(callId, shown + output);
    return output;
  }

  /** Whether this is a call of which output is shown. */
  has(callId: string): boolean {
    return this.#shown.has(callId);
  }

  /** A call's result without what was shown; whole when that is not how it begins. Nothing is remembered of the call afterwards. */
  rest(result: ToolResult): ToolResult {
    const shown = this.#shown.get(result.callId) ?? "";
    this.#shown.delete(result.callId);
    const text = contentText(result.content);
    if (shown === "" || !`${text}\n`.startsWith(shown)) return result;
    return { ...result, content: [{ type: "text", text: text.slice(shown.length) }] };
  }
}
