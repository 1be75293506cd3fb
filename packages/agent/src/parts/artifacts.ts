import type { ArtifactStore, Message, ToolResult } from "@toolglot/core";
import { failure } from "@toolglot/core/executing";
import { type ResultForm, resultText } from "@toolglot/core/results";
import { errorText } from "@toolglot/internal";
import {
  type ArtifactMark,
  artifactOf,
  artifactTool,
  memoryArtifacts,
  readArtifact,
  withArtifact,
} from "../context/artifacts.ts";
import { shortResult, turnStarts } from "../context/compaction.ts";
import { changeResults, cutResult, textRooms } from "../context/cut-results.ts";
import type { Run } from "../loop/run.ts";
import { textLength } from "../plain-json.ts";
import { checkStopped, orStopped } from "../stop.ts";

/** UTF-16 units that one read may return at least, however much was read in the same answer. */
const minRead = 200;

/** Long results of one run: what requests leave out of them can be read by the model. */
export class Artifacts {
  readonly #run: Run;
  #memory: ArtifactStore | undefined;
  /** UTF-16 units that the results of one answer may have together, and how they reach the model. */
  readonly #max: number;
  readonly #form: ResultForm;
  #isOffered = false;

  constructor(run: Run) {
    this.#run = run;
    const { context, protocol } = run.settings;
    this.#max = Math.min(context.maxResultChars, protocol.maxResultChars ?? Number.POSITIVE_INFINITY);
    this.#form = { native: protocol.declaresTools === true };
  }

  get #store(): ArtifactStore | undefined {
    const { artifacts } = this.#run.settings.context;
    if (artifacts !== undefined) return artifacts === false ? undefined : artifacts;
    this.#memory ??= memoryArtifacts();
    return this.#memory;
  }

  /** Cuts results that are too long together, in the messages that are new: the only place that decides what requests hold of them. */
  async cutNew(): Promise<undefined> {
    const { conversation, wording } = this.#run;
    await conversation.showNew((message) => {
      if (maxLength(message) <= this.#max) return message;
      const rooms = textRooms(message, this.#max, this.#form);
      if (rooms === undefined) return message;
      return changeResults(
        message,
        (result) => rooms.has(result),
        async (result) => {
          const kept = new Map<string, Promise<ArtifactMark | undefined>>();
          const keep = (text: string): Promise<ArtifactMark | undefined> => {
            const mark = kept.get(text) ?? this.#keep(text);
            kept.set(text, mark);
            return mark;
          };
          const cut = await cutResult(result, rooms.get(result) ?? {}, this.#form, async (left, text, from) => {
            const mark = await keep(text);
            return wording.resultCut(left, text.length, mark && { id: mark.id, from });
          });
          const mark = await keep(resultText(result, this.#form));
          return mark ? withArtifact(cut, mark) : cut;
        },
      );
    });
  }

  /** Returns the messages with all their results kept but the newest turn's, so that a compaction can leave them out. */
  async keepAll(messages: readonly Message[]): Promise<readonly Message[]> {
    if (this.#store === undefined) return messages;
    const newest = turnStarts(messages).at(-1) ?? 0;
    const kept: Message[] = [];
    for (const [at, message] of messages.entries()) {
      const isKept = (result: ToolResult): boolean =>
        at >= newest || artifactOf(result) !== undefined || resultText(result, this.#form).length <= shortResult;
      const changed = changeResults(
        message,
        (result) => !isKept(result),
        async (result) => {
          const mark = await this.#keep(resultText(result, this.#form));
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

  /** Programs can't call the loop's tools: there a tool of the host's is needed. */
  #canBeRead(): boolean {
    const { settings, tools } = this.#run;
    return settings.protocol.carries !== "code" || tools.current.some(({ name }) => name === artifactTool.name);
  }

  #offer(): void {
    const run = this.#run;
    const store = this.#store;
    if (this.#isOffered || store === undefined || run.settings.protocol.carries === "code") return;
    this.#isOffered = true;
    const max = this.#max;
    run.tools.addOwn({
      definition: artifactTool,
      yields: true,
      async run({ input }, earlier) {
        // Several reads of one answer share what its results may have.
        const read = earlier.reduce((sum, result) => sum + (artifactOf(result) ? resultText(result).length : 0), 0);
        const maxChars = Math.max(Math.min(minRead, max), max - read);
        try {
          return await orStopped(readArtifact(store, input, { runId: run.runId, maxChars }), run.signal);
        } catch (error) {
          checkStopped(run.signal);
          run.warn("agent/artifacts-failed", `The artifact store failed: ${errorText(error)}`);
          return failure({ type: "ExecutorFault", message: run.wording.executorFailed });
        }
      },
    });
  }
}

/** Returns what a message's results can have as texts at most: a unit of a value is up to six as JSON text, as `\u0000`. */
function maxLength({ parts }: Message): number {
  return parts.reduce((sum, part) => sum + (part.type === "result" ? 6 * textLength(part.result) : 0), 0);
}
