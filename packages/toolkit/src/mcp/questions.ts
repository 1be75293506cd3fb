import type { Client, ClientCapabilities, ClientContext } from "@modelcontextprotocol/client";
import type { JsonSchemaObject, Question, QuestionAnswer, ToolContext } from "@toolglot/core";
import { defined, errorText, isObject, settleWithin, unsettled } from "@toolglot/internal";
import { toInputSchema } from "@toolglot/schema";
import type { IdleTimer } from "./idle-timer.ts";
import type { McpClientOptions } from "./options.ts";
import { tasksExtension } from "./task-result.ts";
import type { QuestionCallback } from "./types.ts";

/** A call on its way, which a server's question may belong to. */
export interface AskingCall {
  ask: ToolContext["ask"];
  /** Whose answers these are: equal for calls of one person. */
  person?: unknown;
  /** The id of its last request. Absent where that is not known. */
  requestId?(): unknown;
  /** What came of questions, for the model and the host. */
  notes: string[];
  /** Stands still while a question is open. */
  timer?: IdleTimer;
}

/** Answer to the server when nobody lets a model answer it. */
const samplingDeclined = "The host declined to let a model answer.";
const rootsDeclined = "The host names no folders.";

const wanted = { sampling: "for a model's text", roots: "for the host's folders" };

/** While work goes on, these calls are not late. */
async function paused<Value>(calls: readonly AskingCall[], work: () => Promise<Value>): Promise<Value> {
  for (const { timer } of calls) timer?.pause();
  try {
    return await work();
  } finally {
    for (const { timer } of calls) timer?.resume();
  }
}

/** Answers what a server asks, as the options of its client say. */
export class Questions {
  readonly #options: McpClientOptions;
  readonly #streamOf: (id: unknown) => readonly unknown[];
  readonly #running = new Set<AskingCall>();

  /** `streamOf`: the requests on whose stream a server's request came, where the transport has such streams. */
  constructor(options: McpClientOptions, streamOf: (id: unknown) => readonly unknown[]) {
    this.#options = options;
    this.#streamOf = streamOf;
  }

  /** What is declared to the server: what it may ask, and more. */
  get capabilities(): ClientCapabilities {
    const { elicitation, sampling, roots, tasks, clientOptions: { capabilities = {} } = {} } = this.#options;
    return {
      ...capabilities,
      ...(tasks && { extensions: { ...capabilities.extensions, [tasksExtension]: {} } }),
      ...(elicitation !== undefined && { elicitation: { form: {}, url: {} } }),
      ...(sampling !== undefined && { sampling: {} }),
      ...(roots !== undefined && roots !== "host" && { roots: {} }),
    };
  }

  /** What a server of 2026-07-28 may ask during a request, where that is more. */
  get capabilitiesOfCalls(): ClientCapabilities | undefined {
    return this.#options.roots === "host" ? { ...this.capabilities, roots: {} } : undefined;
  }

  /** Has a client answer the questions of servers whose revision lets them ask in messages of their own. */
  listen(client: Client): void {
    const { elicitation, sampling, roots } = this.#options;
    const answer =
      (method: string) =>
      async ({ params }: { params?: unknown }, { mcpReq: { id, signal } }: Pick<ClientContext, "mcpReq">) => {
        const { call, waiting } = this.#callOf(id);
        return (await paused(waiting, () => this.#answer(method, params, call, signal, undefined))) as never;
      };
    if (elicitation !== undefined) client.setRequestHandler("elicitation/create", answer("elicitation/create"));
    if (sampling !== undefined) client.setRequestHandler("sampling/createMessage", answer("sampling/createMessage"));
    if (roots !== undefined && roots !== "host") client.setRequestHandler("roots/list", answer("roots/list"));
  }

  /** Until the returned function is called, questions may belong to this call. */
  during(call: AskingCall): () => void {
    this.#running.add(call);
    return () => void this.#running.delete(call);
  }

  /** Resolves with the answer to one question, as MCP has it. Rejects for what can't be asked, and where sampling is declined. */
  async answer(
    method: unknown,
    params: unknown,
    call: AskingCall,
    signal: AbortSignal,
    key?: string,
  ): Promise<unknown> {
    return paused([call], () => this.#answer(method, params, call, signal, key));
  }

  async #answer(
    method: unknown,
    params: unknown,
    call: AskingCall | undefined,
    signal: AbortSignal,
    key: string | undefined,
  ): Promise<unknown> {
    const { elicitation, sampling, roots } = this.#options;
    const given = isObject(params) ? params : {};
    const named = { server: this.#options.name, ...defined({ key }) };
    const ofHost = async (by: "host" | QuestionCallback, question: Question, declined: string): Promise<unknown> => {
      const { action, content } = await this.#ask(by, question, call, signal);
      if (action === "accept" && isObject(content)) return content;
      throw Object.assign(new Error(declined), { code: -1 });
    };
    if (method === "roots/list" && roots === "host") return ofHost(roots, { kind: "roots", ...named }, rootsDeclined);
    if (method === "roots/list" && roots !== undefined) {
      return { roots: [...(typeof roots === "function" ? await roots() : roots)] };
    }
    if (method === "elicitation/create" && elicitation !== undefined) return this.#elicit(given, named, call, signal);
    if (method === "sampling/createMessage" && sampling !== undefined) {
      return ofHost(sampling, { kind: "sampling", ...named, request: given }, samplingDeclined);
    }
    throw Object.assign(new Error(`The client answers no ${String(method)}.`), { code: -32601 });
  }

  async #elicit(
    { message, mode = "form", requestedSchema, url }: Record<string, unknown>,
    named: Pick<Question, "server" | "key">,
    call: AskingCall | undefined,
    signal: AbortSignal,
  ): Promise<QuestionAnswer> {
    const { elicitation = "host" } = this.#options;
    const { server } = named;
    const schema = isObject(requestedSchema) ? (requestedSchema as JsonSchemaObject) : undefined;
    const question: Question = {
      kind: "elicitation",
      ...named,
      message: String(message),
      mode: mode === "url" ? "url" : "form",
      ...(mode === "url" ? { url: String(url) } : defined({ schema })),
    };
    const { action, content = {} } = await this.#ask(elicitation, question, call, signal);
    if (action !== "accept" || mode === "url") return { action };
    if (schema === undefined) return { action, content };
    try {
      const fitted = await toInputSchema(schema, { name: server, untrusted: true }).validate(content);
      if (fitted.success) return { action, content: fitted.value };
      this.#note(
        call,
        `The answer did not fit what was asked for: ${fitted.issues.map((one) => one.message).join("; ")}`,
      );
    } catch (error) {
      this.#note(call, `What was asked for can't be checked: ${errorText(error)}`);
    }
    return { action: "cancel" };
  }

  /** Whoever is to answer. Never rejects. */
  async #ask(
    by: "host" | QuestionCallback,
    question: Question,
    call: AskingCall | undefined,
    signal: AbortSignal,
  ): Promise<QuestionAnswer> {
    const { kind, message = "" } = question;
    const said = kind === "elicitation" ? JSON.stringify(message.slice(0, 500)) : wanted[kind];
    const ask = by === "host" ? call?.ask : (asked: Question) => by(asked, { signal });
    if (ask === undefined) {
      const isOpen = call === undefined && [...this.#running].some((one) => one.ask !== undefined);
      const why = isOpen ? "it is not clear for which call" : "nobody can be asked";
      this.#note(call, `The server asked ${said}. It was declined, because ${why}.`);
      return { action: "decline" };
    }
    try {
      const answer = await settleWithin(Promise.resolve(ask(question)), { signal });
      if (answer === unsettled) return { action: "cancel" };
      if (["accept", "decline", "cancel"].includes(answer?.action)) {
        if (answer.action !== "accept") this.#note(call, `The server asked ${said}. The answer was: ${answer.action}.`);
        return answer;
      }
      this.#note(call, `The server asked ${said}. The answer was none: it has no action.`);
    } catch (error) {
      this.#note(call, `The server asked ${said}. Nobody answered: ${errorText(error)}`);
    }
    return { action: "cancel" };
  }

  /**
   * Returns the call that a question belongs to, and the calls that may wait for its answer. Older revisions don't name it: it is the one on
   * whose stream the question came, else the newest of those that somebody answers, if they are all one person's: nobody is asked what
   * another's call is about.
   */
  #callOf(id: unknown): { call: AskingCall | undefined; waiting: readonly AskingCall[] } {
    const running = [...this.#running];
    const stream = this.#streamOf(id);
    const own = running.find(({ requestId }) => requestId !== undefined && stream.includes(requestId()));
    if (own !== undefined) return { call: own, waiting: [own] };
    const able = running.filter(
      ({ ask, requestId }) => ask !== undefined && (stream.length === 0 || requestId === undefined),
    );
    const last = able.at(-1);
    return { call: able.every(({ person }) => person === last?.person) ? last : undefined, waiting: running };
  }

  #note(call: AskingCall | undefined, text: string): void {
    const calls = call === undefined ? this.#running : [call];
    for (const { notes } of calls) notes.push(text);
    if (call === undefined && this.#running.size === 0) this.#options.onError?.(new Error(text));
  }
}
