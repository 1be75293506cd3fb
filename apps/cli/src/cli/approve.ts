import type { Readable, Writable } from "node:stream";
import { isCancel, select } from "@clack/prompts";
import type { ApprovalRequest, Decision } from "@toolglot/core";
import { onAbort } from "@toolglot/internal";
import { visible } from "../view/visible.ts";
import { type Words, wordsFor } from "../words/index.ts";
import type { Lasting } from "./lasting.ts";

/** What a person has allowed until the command line ends: calls as they were shown, and tools. */
export class Allowed {
  readonly #calls = new Set<string>();
  readonly #tools = new Set<string>();

  has(tool: string, input: unknown): Exclude<Lasting, "always"> | undefined {
    if (this.#tools.has(tool)) return "tool";
    return this.#calls.has(JSON.stringify([tool, input])) ? "call" : undefined;
  }

  add(tool: string, input: unknown, what: Exclude<Lasting, "always">): void {
    if (what === "tool") this.#tools.add(tool);
    else this.#calls.add(JSON.stringify([tool, input]));
  }
}

/** How approvals are decided. */
export interface ApprovalOptions {
  /** Approve everything. */
  yes: boolean;
  /** Where a person can be asked; without it every request is denied. */
  terminal?: { output: Writable; input?: Readable };
  /** Called when the person answers with Ctrl-C. */
  onCancel?: () => void;
  /** What was allowed before, and what the person allows now. Default: nothing is kept. */
  allowed?: Allowed;
  /** How long a permission for a call may last. Default: for its tool, until the command line ends. */
  lasts?: (request: ApprovalRequest) => Lasting;
  /** What was allowed for good. Without it nothing can be. */
  kept?: { has(tool: string): boolean; add(tool: string): void };
  /** Called when the person wants to decide later; without it that is no choice. */
  onLater?: () => void;
  words?: Words;
}

type Answer = "once" | Lasting | "later" | "no";

/** Returns what asks at the terminal, or decides without one; the decision names who decided. */
export function approver(
  options: ApprovalOptions,
): (request: ApprovalRequest, run: { signal: AbortSignal }) => Promise<Decision> {
  const { yes, terminal, onCancel, onLater, allowed = new Allowed(), words = wordsFor() } = options;
  const { kept, lasts = () => "tool" as const } = options;
  const granted = (answer: Exclude<Answer, "no" | "later">, tool: string): Decision => {
    const { person, sameCall, sameTool, always } = words.by;
    const by = { once: person, call: sameCall, tool: sameTool(tool), always: always(tool) }[answer];
    return { approved: true, by };
  };
  return async (request, { signal }): Promise<Decision> => {
    const { tool = "", input } = request;
    if (yes) return { approved: true, by: words.by.flag };
    // Doubt about where a call came from is for this call alone.
    const lasting = request.kind === "tool-call" && tool !== "";
    const longest = lasts(request);
    const known = lasting ? allowed.has(tool, input) : undefined;
    if (known) return granted(known, tool);
    if (lasting && longest === "always" && kept?.has(tool)) return granted("always", tool);
    if (!terminal) return { approved: false, reason: words.why.noTerminal, by: words.by.line };
    // A prompt never stops listening to its signal, and the run's outlives many of them: each gets a signal of its own.
    const asking = new AbortController();
    const stopListening = onAbort(signal, () => asking.abort(signal.reason));
    const answer = await select<Answer>({
      message: questionText(request, words),
      options: [
        { value: "no", label: words.no, hint: words.keys },
        ...(onLater ? [{ value: "later" as const, label: words.later }] : []),
        { value: "once", label: words.once },
        ...(lasting ? [{ value: "call" as const, label: words.sameCall }] : []),
        ...(lasting && longest !== "call" ? [{ value: "tool" as const, label: words.sameTool(visible(tool)) }] : []),
        ...(lasting && longest === "always" && kept
          ? [{ value: "always" as const, label: words.always(visible(tool)) }]
          : []),
      ],
      initialValue: "no",
      // Its own are in English.
      showInstructions: false,
      signal: asking.signal,
      ...terminal,
    }).finally(stopListening);
    if (isCancel(answer)) {
      if (!signal.aborted) onCancel?.();
      return { approved: false, reason: words.why.cancelled };
    }
    if (answer === "later") {
      onLater?.();
      return { approved: false, reason: words.why.later, by: words.by.person };
    }
    if (answer === "no") return { approved: false, reason: words.why.saidNo, by: words.by.person };
    if (answer === "always") kept?.add(tool);
    else if (answer !== "once") allowed.add(tool, input, answer);
    return granted(answer, tool);
  };
}

function questionText({ tool: name = "", input, reason, kind }: ApprovalRequest, words: Words): string {
  const tool = visible(name);
  if (kind === "echoed-block") return `${visible(reason)} ${words.runIt}`;
  // A router renders the whole request itself.
  if (reason.includes("\n")) return `${words.run(tool)}\n${visible(reason).replaceAll(/^/gm, "  ")}`;
  const lines = Object.entries((input ?? {}) as Record<string, unknown>).map(
    ([name, value]) => `  ${name}: ${visible(typeof value === "string" ? value : JSON.stringify(value))}`,
  );
  return `${words.run(tool)}\n${lines.join("\n")}`;
}
