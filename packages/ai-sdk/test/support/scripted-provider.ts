/** An answer of a provider: its text, and how it ended; parts to stand behind the text. */
export interface Turn {
  text: string;
  finish?: string;
  parts?: object[];
  /** Text is cut into pieces of so many units in a stream. Default 7. */
  size?: number;
}

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

/** A language model of the provider specification that gives answers in their turn, and keeps what it was asked. */
export function scriptedProvider(turns: readonly (string | Turn)[], version: "v3" | "v4" = "v3") {
  // biome-ignore lint/suspicious/noExplicitAny: the options of either specification.
  const asked: any[] = [];
  const next = (options: unknown): Turn => {
    const turn = turns[asked.push(options) - 1];
    if (turn === undefined) throw new Error(`The script has ${turns.length} turns only.`);
    return typeof turn === "string" ? { text: turn } : turn;
  };
  const model = {
    specificationVersion: version,
    provider: "scripted",
    modelId: "scripted-1",
    supportedUrls: {},
    async doGenerate(options: { abortSignal?: AbortSignal }) {
      options.abortSignal?.throwIfAborted();
      const { text, finish = "stop", parts = [] } = next(options);
      return {
        content: [...(text === "" ? [] : [{ type: "text", text }]), ...parts],
        finishReason: { unified: finish, raw: finish },
        usage,
        warnings: [],
      };
    },
    async doStream(options: { abortSignal?: AbortSignal }) {
      options.abortSignal?.throwIfAborted();
      const { text, finish = "stop", parts = [], size = 7 } = next(options);
      const list: object[] = [
        { type: "stream-start", warnings: [] },
        { type: "text-start", id: "0" },
        ...(text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? []).map((delta) => ({
          type: "text-delta",
          id: "0",
          delta,
        })),
        { type: "text-end", id: "0" },
        ...parts,
        { type: "finish", finishReason: { unified: finish, raw: finish }, usage },
      ];
      return {
        stream: new ReadableStream({
          pull(controller) {
            const part = list.shift();
            if (part === undefined) controller.close();
            else controller.enqueue(part);
          },
        }),
      };
    },
  };
  // biome-ignore lint/suspicious/noExplicitAny: a model of either specification.
  return { model: model as any, asked };
}
