/** For tests of programs that use the agent: a model that follows a script. */
import type { Model, ModelPart, ModelRequest } from "@toolglot/core";
import { describeValue } from "@toolglot/internal";

/** One answer: text, parts, or what a function makes of the request. A function that throws is a provider that fails. */
export type ScriptedTurn =
  | string
  | readonly ModelPart[]
  | ((request: ModelRequest) => string | readonly ModelPart[] | Promise<string | readonly ModelPart[]>);

/** A {@link Model} that also keeps what it was asked. */
export type ScriptedModel = Model & { readonly requests: readonly ModelRequest[] };

/**
 * Creates a model that answers with the turns in order, whatever it is asked; a turn that is text comes as one piece and a `stop`. When
 * the script is over it throws an `Error`. Stops early when its signal is aborted.
 *
 * @example
 * ```ts
 * const model = scriptedModel([
 *   [{ type: "call", call: { id: "c1", name: "add", input: { a: 19, b: 23 }, protocol: "native" } }],
 *   "19 + 23 is 42.",
 * ]);
 * ```
 */
export function scriptedModel(turns: readonly ScriptedTurn[]): ScriptedModel {
  if (!Array.isArray(turns)) {
    throw new TypeError(`scriptedModel takes an array of turns: ["hello"], not ${describeValue(turns)}.`);
  }
  const requests: ModelRequest[] = [];
  async function* model(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const turn = turns[requests.push({ ...request, messages: [...request.messages] }) - 1];
    if (turn === undefined) throw new Error(`The script has ${turns.length} turns; this is turn ${requests.length}.`);
    const answer = typeof turn === "function" ? await turn(request) : turn;
    for (const part of typeof answer === "string" ? [answer, stop] : answer) {
      if (signal.aborted) return;
      yield part;
    }
  }
  return Object.assign(model, { requests });
}

const stop: ModelPart = { type: "finish", reason: "stop" };
