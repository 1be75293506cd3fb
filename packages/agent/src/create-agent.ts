import { type Message, textMessage } from "@toolglot/core";
import { checkKeys, type KnownKeys } from "@toolglot/internal";
import { startRun } from "./loop/start-run.ts";
import { toSettings } from "./settings.ts";
import type { Agent, AgentOptions, RunOptions } from "./types.ts";

const runKeys: KnownKeys<RunOptions> = { signal: true, runId: true };

/**
 * Makes an agent: a model that asks for tools through a protocol, and an executor that runs them. Throws `TypeError` for
 * options that can't work; nothing else here or in a run throws.
 */
export function createAgent(options: AgentOptions): Agent {
  const settings = toSettings(options);
  return {
    run(input, runOptions = {}) {
      checkKeys("run", runOptions, runKeys);
      return startRun(settings, toMessages(input), runOptions);
    },
  };
}

/** What a run starts from; throws `TypeError` when there is nothing in it. */
export function toMessages(input: string | readonly Message[]): Message[] {
  if (typeof input === "string") {
    if (input.trim() === "") throw new TypeError("The input is empty: pass the user's request, or messages.");
    return [textMessage("user", input)];
  }
  if (!Array.isArray(input) || input.length === 0) {
    throw new TypeError("The input must be a non-empty string or a non-empty array of messages.");
  }
  for (const message of input as Message[]) {
    if (!Array.isArray(message?.parts) || !message.role || !message.trust) {
      throw new TypeError(
        "Each message needs role, parts and trust; textMessage(role, text) of @toolglot/core makes one.",
      );
    }
  }
  return [...input];
}
