import type { Client, StandardSchemaV1, Tool } from "@modelcontextprotocol/client";
import { isObject, sleep } from "@toolglot/internal";
import { isUsable } from "./exact.ts";
import type { ClientModule } from "./load-client.ts";
import type { AskingCall, Questions } from "./questions.ts";
import type { McpCallResult } from "./types.ts";

/** How often a server may ask for input during one call, and the pause where it asks for nothing but another request. */
const maxRounds = 10;
const roundPauseMs = 250;

type Params = Parameters<Client["callTool"]>[0];
type Options = NonNullable<Parameters<Client["callTool"]>[1]> & { signal: AbortSignal; toolDefinition: Tool };

/** Reason why a call was refused, in words for the model. */
export class Refusal extends Error {}

/** Sends calls of tools, and each again with answers as long as its result is that the server wants input. */
export class CallRounds {
  readonly #sdk: ClientModule;
  readonly #client: Client;
  readonly #questions: Questions;
  readonly #exact: boolean;

  /** `exact`: results are wanted as they are sent. */
  constructor(sdk: ClientModule, client: Client, questions: Questions, exact = false) {
    this.#sdk = sdk;
    this.#client = client;
    this.#questions = questions;
    this.#exact = exact;
  }

  async run(call: Params, asking: AskingCall, options: Options): Promise<McpCallResult> {
    let given: Record<string, unknown> = {};
    for (let round = 0; ; round += 1) {
      const result = await this.#send({ ...call, ...given }, { ...options, allowInputRequired: true });
      if (!this.#sdk.isInputRequiredResult(result)) return result as McpCallResult;
      if (round === maxRounds) throw new Refusal(`it asked for input ${maxRounds} times, and wants more`);
      const { inputRequests = {}, requestState } = result;
      const asked = Object.entries(inputRequests as Record<string, { method?: unknown; params?: unknown }>);
      if (asked.length === 0) await sleep(roundPauseMs, options.signal);
      // One after another, as a person answers.
      const inputResponses: Record<string, unknown> = {};
      for (const [key, { method, params: what }] of asked) {
        const answer = this.#questions.answer(method, what, asking, options.signal);
        inputResponses[key] = await answer.catch((error: Error) => {
          throw new Refusal(error.message);
        });
      }
      given = { ...(asked.length > 0 && { inputResponses }), ...(requestState !== undefined && { requestState }) };
    }
  }

  /**
   * The official client's `callTool` reads all of a result by its schema, of which an exact client takes nothing. It is needed where
   * arguments of the tool stand in headers as well: it writes them.
   */
  #send(params: Params, options: Options): Promise<unknown> {
    if (!this.#exact || hasHeaders(options.toolDefinition.inputSchema)) return this.#client.callTool(params, options);
    const { toolDefinition: _, ...rest } = options;
    return this.#client.request({ method: "tools/call", params }, this.#result, rest);
  }

  /** Takes a result that is of use as it was sent, and reads others as the official client does. */
  readonly #result: StandardSchemaV1<unknown, unknown> = {
    "~standard": {
      version: 1,
      vendor: "toolglot",
      validate: (value) =>
        isObject(value) && isUsable(value)
          ? { value }
          : this.#sdk.specTypeSchemas.CallToolResult["~standard"].validate(value),
    },
  };
}

const withHeaders = new WeakMap<object, boolean>();

function hasHeaders(inputSchema: Tool["inputSchema"]): boolean {
  const known = withHeaders.get(inputSchema) ?? JSON.stringify(inputSchema).includes('"x-mcp-header"');
  withHeaders.set(inputSchema, known);
  return known;
}
