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

type Requests = Record<string, { method?: unknown; params?: unknown }>;

/** Reason why a call was refused, in words for the model. */
export class Refusal extends Error {}

/** What a request is sent again with. */
export interface Given {
  inputResponses?: Record<string, unknown>;
  requestState?: string;
}

/** Sends requests, and each again with answers as long as its result is that the server wants input. */
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

  /** Makes the call of a tool. */
  call(call: Params, asking: AskingCall, options: Options): Promise<McpCallResult> {
    const send = (given: Given): Promise<unknown> =>
      this.#send({ ...call, ...given }, { ...options, allowInputRequired: true });
    return this.run(send, asking, options.signal) as Promise<McpCallResult>;
  }

  /** Makes a request. `send` takes `input_required` for a result. */
  async run(send: (given: Given) => Promise<unknown>, asking: AskingCall, signal: AbortSignal): Promise<unknown> {
    let given: Given = {};
    for (let round = 0; ; round += 1) {
      const result = await send(given);
      if (!this.#sdk.isInputRequiredResult(result)) return result;
      if (round === maxRounds) throw new Refusal(`it asked for input ${maxRounds} times, and wants more`);
      const { inputRequests = {}, requestState } = result;
      const asked = Object.entries(inputRequests as Requests);
      if (asked.length === 0) await sleep(roundPauseMs, signal);
      const inputResponses = await this.#answers(asked, asking, signal);
      given = { ...(asked.length > 0 && { inputResponses }), ...(requestState !== undefined && { requestState }) };
    }
  }

  async #answers(
    asked: [string, Requests[string]][],
    asking: AskingCall,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const answer = async ([key, { method, params }]: (typeof asked)[number]): Promise<[string, unknown]> => {
      const answered = this.#questions.answer(method, params, asking, signal, key);
      const refused = (error: Error): never => {
        throw new Refusal(error.message);
      };
      return [key, await answered.catch(refused)];
    };
    if (this.#exact) return Object.fromEntries(await Promise.all(asked.map(answer)));
    const answers: Record<string, unknown> = {};
    // One after another, as a person answers.
    for (const one of asked) [, answers[one[0]]] = await answer(one);
    return answers;
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
