import type { ArtifactStore, Message, MessagePart, ToolResult } from "@toolglot/core";
import { failure } from "@toolglot/core/executing";
import { errorText } from "@toolglot/internal";
import {
  type ArtifactMark,
  artifactOf,
  artifactTool,
  memoryArtifacts,
  readArtifact,
  withArtifact,
} from "../context/artifacts.ts";
import { resultText, shortResult, turnStarts } from "../context/compaction.ts";
import { cutResult } from "../context/cut-results.ts";
import { checkStopped, orStopped } from "../stop.ts";
import type { RunState } from "./run-state.ts";

/** Long results of one run: what requests leave out of them can be read by the model. */
export class Artifacts {
  readonly #run: RunState;
  readonly #store: ArtifactStore | undefined;
  #isOffered = false;

  constructor(run: RunState) {
    this.#run = run;
    const { artifacts } = run.settings.context;
    this.#store = artifacts === false ? undefined : (artifacts ?? memoryArtifacts());
  }

  /** Cuts results that are too long, in the messages that are new. True when the tool that reads the rest is new, too. */
  async cutNew(): Promise<boolean> {
    const { maxResultChars } = this.#run.settings.context;
    const before = this.#isOffered;
    await this.#run.conversation.showNew((message) =>
      changeResults(
        message,
        (result) => artifactOf(result) === undefined && resultText(result).length > maxResultChars,
        async (result) => {
          const text = resultText(result);
          const mark = await this.#keep(text);
          const cut = cutResult(result, text, maxResultChars, (left, from) =>
            this.#run.wording.resultCut(left, text.length, mark && { id: mark.id, from }),
          );
          return mark ? withArtifact(cut, mark) : cut;
        },
      ),
    );
    return this.#isOffered !== before;
  }

  /** The messages, with all their results kept but the newest turn's, so that a compaction can leave them out. */
  async keepAll(messages: readonly Message[]): Promise<readonly Message[]> {
    if (this.#store === undefined) return messages;
    const newest = turnStarts(messages).at(-1) ?? 0;
    const kept: Message[] = [];
    for (const [at, message] of messages.entries()) {
      const isKept = (result: ToolResult): boolean =>
        at >= newest || artifactOf(result) !== undefined || resultText(result).length <= shortResult;
      const changed = changeResults(
        message,
        (result) => !isKept(result),
        async (result) => {
          const mark = await this.#keep(resultText(result));
          return mark ? withArtifact(result, mark) : result;
        },
      );
      kept.push(changed instanceof Promise ? await changed : changed);
    }
    return kept;
  }

  async #keep(text: string): Promise<ArtifactMark | undefined> {
    const run = this.#run;
    if (this.#store === undefined || !this.#canBeRead()) return undefined;
    try {
      const id = await orStopped(this.#store.put(text, { runId: run.runId }), run.signal);
      if (typeof id !== "string" || id === "") return undefined;
      this.#offer();
      return { id, length: text.length };
    } catch (error) {
      checkStopped(run.signal);
      run.warn(
        "agent/artifacts-failed",
        `The artifact store failed, and the text can't be read later: ${errorText(error)}`,
      );
      return undefined;
    }
  }

  /** Programs can't call the loop's tools: there it takes a tool of the host's. */
  #canBeRead(): boolean {
    const { settings, tools } = this.#run;
    return settings.protocol.carries !== "code" || tools.current.some(({ name }) => name === artifactTool.name);
  }

  #offer(): void {
    const run = this.#run;
    const store = this.#store;
    if (this.#isOffered || store === undefined || run.settings.protocol.carries === "code") return;
    this.#isOffered = true;
    const most = run.settings.context.maxResultChars;
    run.tools.addOwn({
      definition: artifactTool,
      yields: true,
      async run({ input }) {
        try {
          return await orStopped(readArtifact(store, input, { runId: run.runId, most }), run.signal);
        } catch (error) {
          checkStopped(run.signal);
          run.warn("agent/artifacts-failed", `The artifact store failed: ${errorText(error)}`);
          return failure({ type: "ExecutorFault", message: run.wording.executorFailed });
        }
      },
    });
  }
}

/** The message with some of its results changed; the same message when none is. */
function changeResults(
  message: Message,
  isMeant: (result: ToolResult) => boolean,
  change: (result: ToolResult) => Promise<ToolResult>,
): Message | Promise<Message> {
  const isChanged = (part: MessagePart): part is MessagePart & { type: "result" } =>
    part.type === "result" && isMeant(part.result);
  if (!message.parts.some(isChanged)) return message;
  return (async () => {
    const parts: MessagePart[] = [];
    for (const part of message.parts)
      parts.push(isChanged(part) ? { ...part, result: await change(part.result) } : part);
    return { ...message, parts };
  })();
}
