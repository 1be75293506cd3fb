import type { Client, Tool } from "@modelcontextprotocol/client";
import { defined, maxTimerMs, onAbort, sleep } from "@toolglot/internal";
import { isUnauthorised } from "./authorization.ts";
import { CallRounds, type Given, Refusal } from "./call-rounds.ts";
import { CallFault, Deliveries, Delivery, fateOf } from "./delivery.ts";
import { exactResult } from "./exact.ts";
import { IdleTimer } from "./idle-timer.ts";
import { Incoming } from "./incoming.ts";
import { toListed } from "./listing.ts";
import { type ClientModule, loadClientModule } from "./load-client.ts";
import type { McpClientOptions } from "./options.ts";
import { type ConnectionEvents, prepareClient } from "./prepare-client.ts";
import { type AskingCall, Questions } from "./questions.ts";
import { ResourceStreams } from "./resource-streams.ts";
import { openSession, type Session, type SessionMemory } from "./session.ts";
import { type RequestTrace, traceRequest } from "./trace-request.ts";
import type { McpCallOptions, McpCallRequest, McpCallResult, McpListedTool } from "./types.ts";

/** See `callTimeoutMs` of the options. Milliseconds. */
const defaultCallMs = 60_000;

type Meta = Record<string, unknown>;

/** Options of a request to the official client, and what goes into its `_meta`. */
export interface SentOptions {
  timeout: number;
  signal?: AbortSignal;
  allowInputRequired?: boolean;
  _meta?: Meta;
}

/** One session with a server, from its start to its end. */
export class Connection {
  readonly #sdk: ClientModule;
  readonly #client: Client;
  readonly transport: Session["made"]["transport"];
  readonly #deliveries: Deliveries;
  readonly #incoming: Incoming;
  readonly #questions: Questions;
  readonly resourceStreams: ResourceStreams;
  readonly #options: McpClientOptions;
  readonly #rounds: CallRounds;
  #users = 0;
  #ended = false;
  #retired = false;
  /** A request of the session ended in an HTTP error. */
  #isSuspect = false;
  /** The message that was too long, since the last request that failed for it. */
  #tooLarge: Error | undefined;
  #closing: Promise<void> | undefined;
  /** Called when no call runs any more. */
  readonly #idle: (() => void)[] = [];

  private constructor(
    sdk: ClientModule,
    { client, made }: Session,
    { deliveries, questions, incoming }: { deliveries: Deliveries; questions: Questions; incoming: Incoming },
    options: McpClientOptions,
  ) {
    this.#sdk = sdk;
    this.#incoming = incoming;
    this.#client = client;
    this.resourceStreams = new ResourceStreams(client);
    this.transport = made.transport;
    this.#deliveries = deliveries;
    this.#questions = questions;
    this.#options = options;
    this.#rounds = new CallRounds(sdk, client, questions, options.exact);
  }

  /** Starts or reaches the server, and greets it. Rejects with what went wrong, and leaves nothing running. */
  static async open(
    options: McpClientOptions,
    events: ConnectionEvents,
    signal: AbortSignal,
    memory: SessionMemory,
  ): Promise<Connection> {
    const sdk = await loadClientModule();
    const incoming = new Incoming(sdk, events.onError, options);
    const questions = new Questions(options, (id) => incoming.streamOf(id));
    const state: { connection?: Connection; tooLarge?: Error; deliveries: Deliveries } = {
      deliveries: new Deliveries(),
    };
    const onClose = (): void => {
      if (state.connection === undefined || state.connection.#ended) return;
      state.connection.#ended = true;
      state.connection.resourceStreams.close();
      if (!state.connection.#retired) events.onEnded();
    };
    const session = await openSession(
      sdk,
      options,
      {
        makeClient: (revision) => prepareClient(sdk, options, revision, questions, { ...events, onClose }),
        watch: ({ transport }) => {
          state.deliveries = new Deliveries();
          incoming.watch(transport, typeof options.transport === "function");
          state.deliveries.watch(transport);
        },
        events: {
          incoming,
          onTooLarge: (error) => {
            if (state.connection) state.connection.#tooLarge = error;
            else state.tooLarge = error;
          },
        },
      },
      signal,
      memory,
    ).catch((error: unknown) => {
      throw state.tooLarge ?? error;
    });
    state.connection = new Connection(sdk, session, { deliveries: state.deliveries, questions, incoming }, options);
    return state.connection;
  }

  /** Whether it can still be used, as far as is known. */
  get usable(): boolean {
    return !this.#ended && !this.#retired;
  }

  /** What the server said of itself. */
  get facts(): { revision: string | undefined; instructions: string | undefined; capabilities: string[] } {
    const { extensions = {}, ...capabilities } = this.#client.getServerCapabilities() ?? {};
    return {
      revision: this.#client.getNegotiatedProtocolVersion(),
      instructions: this.#client.getInstructions(),
      capabilities: [...Object.keys(capabilities), ...Object.keys(extensions)],
    };
  }

  /** Rejects with a {@link CallFault}. */
  async listTools(): Promise<McpListedTool[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    // The caches of the official client are not wanted: what it holds, it validates answers with, and throws them away.
    this.#incoming.takeToolNames();
    const { tools } = await this.request("tools/list", (client, options) =>
      client.listTools(options._meta && { _meta: options._meta }, { ...options, cacheMode: "bypass" }),
    );
    return toListed(tools, this.#incoming.takeToolNames());
  }

  /** Any request that can be made twice. Rejects with a {@link CallFault}. */
  async request<Value>(
    method: string,
    send: (client: Client, options: SentOptions, given?: Given) => Promise<Value>,
    { signal, ask, person }: Pick<McpCallOptions, "signal" | "ask" | "person"> = {},
  ): Promise<Value> {
    // A person who is asked may take long; the call that it is made for has a signal.
    const timeout = ask === undefined ? (this.#options.connectTimeoutMs ?? 30_000) : maxTimerMs;
    const asking: AskingCall | undefined = ask && { ask, person: person ?? ask, notes: [] };
    const stopAsking = asking && this.#questions.during(asking);
    try {
      return await this.#use({ method }, ({ _meta }) => {
        const options = { timeout, ...defined({ signal, _meta }) };
        if (asking === undefined) return send(this.#client, options);
        const round = (given: Given): Promise<Value> =>
          send(this.#client, { ...options, allowInputRequired: true }, given);
        return this.#rounds.run(round, asking, signal ?? new AbortController().signal) as Promise<Value>;
      });
    } catch (error) {
      if (signal?.aborted) throw new CallFault("aborted", signal.reason);
      const asIfSent = new Delivery(() => {});
      asIfSent.handedOver = true;
      throw this.#fault(error, asIfSent);
    } finally {
      stopAsking?.();
    }
  }

  /** Answers what the server asks in the middle of a task. Rejects for what can't be asked. */
  answer(
    { method, params, key }: { method: unknown; params: unknown; key: string },
    { ask, signal = new AbortController().signal }: Pick<McpCallOptions, "signal" | "ask">,
  ): Promise<unknown> {
    return this.#questions.answer(method, params, { ask, notes: [] }, signal, key);
  }

  /** Rejects with a {@link CallFault}. */
  async callTool(request: McpCallRequest, options: McpCallOptions): Promise<McpCallResult> {
    const { signal, onProgress, ask, person, isExecution } = options;
    if (signal?.aborted) throw new CallFault("aborted", signal.reason);
    const ending = new AbortController();
    const stopListening = onAbort(signal, () => ending.abort(signal?.reason));
    const cut = (): void => ending.abort("the stream ended before the answer came");
    const { timeoutMs = this.#options.callTimeoutMs ?? defaultCallMs } = options;
    let silence: Error | undefined;
    const timer = new IdleTimer(timeoutMs, () => {
      const option = options.timeoutMs === undefined ? "callTimeoutMs" : "timeoutMs";
      silence = new Error(`neither an answer nor progress came within ${timeoutMs} ms (option ${option})`);
      ending.abort(silence);
    });
    const delivery = new Delivery(cut, (progress) => {
      timer.renew();
      onProgress?.(progress);
    });
    const args = { ...request.arguments };
    this.#deliveries.open(args, delivery);
    const asking: AskingCall = { ask, person: person ?? ask, notes: [], timer, requestId: () => delivery.id };
    const stopAsking = this.#questions.during(asking);
    try {
      const facts = { method: "tools/call", tool: request.name, isExecution, requestId: () => delivery.id };
      const { meta } = request;
      const read = await this.#use(facts, ({ _meta }) =>
        this.#rounds.call(
          { name: request.name, arguments: args, ...((meta || _meta) && { _meta: { ...meta, ..._meta } }) },
          asking,
          {
            signal: ending.signal,
            // Ours is renewed by progress, and stands still while a person is asked.
            timeout: maxTimerMs,
            // Without an output schema: an answer that doesn't fit it would be thrown away, though the tool has run.
            toolDefinition: { name: request.name, inputSchema: request.inputSchema ?? { type: "object" } } as Tool,
            // Asks for progress, which the delivery receives.
            onprogress: () => {},
          },
        ),
      );
      const result = exactResult(read);
      return asking.notes.length > 0 ? { ...result, notes: asking.notes } : result;
    } catch (error) {
      if (signal?.aborted) throw new CallFault("aborted", signal.reason);
      if (silence !== undefined) throw new CallFault("silent", silence);
      throw this.#fault(error, delivery);
    } finally {
      timer.stop();
      stopListening();
      stopAsking();
      this.#deliveries.close(delivery);
    }
  }

  /**
   * Checks whether the server knows the session still. It is asked after an HTTP error, since servers report in many ways that they
   * forgot one; any answer of the protocol means that they did not.
   */
  async isKnown(): Promise<boolean> {
    if (!this.#isSuspect || !this.usable) return true;
    try {
      await this.request("ping", (client, options) => client.ping(options));
    } catch (error) {
      if (!this.#sdk.ProtocolError.isInstance((error as CallFault).cause)) return false;
    }
    this.#isSuspect = false;
    return true;
  }

  /** Takes no new calls; closes, and resolves, when the last of those that run has ended. */
  retire(): Promise<void> {
    this.#retired = true;
    if (this.#users === 0) return this.close();
    return new Promise((resolve) => {
      this.#idle.push(() => resolve(this.close()));
    });
  }

  /** Ends the session, and the server if it is ours. Never rejects. */
  close(): Promise<void> {
    this.#retired = true;
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.resourceStreams.close();
    if (!this.#ended && this.transport instanceof this.#sdk.StreamableHTTPClientTransport) {
      const over = new AbortController();
      const end = (): void => over.abort();
      this.transport.terminateSession().then(end, end);
      await sleep(1000, over.signal);
    }
    await this.#client.close().catch(() => {});
    await this.transport.close().catch(() => {});
  }

  async #use<Value>(
    facts: Pick<RequestTrace, "method" | "tool" | "isExecution" | "requestId">,
    work: (sent: { _meta?: Meta }) => Promise<Value>,
  ): Promise<Value> {
    this.#users += 1;
    const { sessionId } = this.transport;
    const send = ({ _meta }: { _meta?: Meta }): Promise<Value> => {
      const all = { ..._meta, ...this.#metaOfEach() };
      return work(Object.keys(all).length > 0 ? { _meta: all } : {});
    };
    const trace = { ...facts, revision: this.facts.revision, sessionId, isStdio: "pid" in this.transport };
    try {
      return await (this.#options.tracing ? traceRequest(trace, send) : send({}));
    } finally {
      this.#users -= 1;
      if (this.#users === 0) for (const done of this.#idle.splice(0)) done();
    }
  }

  /** Servers of the newest revision log only for requests that ask for it, and ask only what a request lets them. */
  #metaOfEach(): Meta {
    if (this.#client.getProtocolEra() !== "modern") return {};
    const capabilities = this.#questions.capabilitiesOfCalls;
    return {
      ...(this.#options.onLog !== undefined && { [this.#sdk.LOG_LEVEL_META_KEY]: "info" }),
      ...(capabilities && { [this.#sdk.CLIENT_CAPABILITIES_META_KEY]: capabilities }),
    };
  }

  #fault(error: unknown, delivery: Delivery): CallFault {
    if (error instanceof Refusal) return new CallFault("refused", error);
    // Servers report in many words and with many a status that they do not know the session.
    const isHttp = this.#sdk.SdkHttpError.isInstance(error) && !isUnauthorised(error, this.#sdk);
    if (isHttp && this.transport.sessionId !== undefined) this.#isSuspect = true;
    const tooLarge = this.#tooLarge;
    const fate = fateOf(error, this.#sdk, delivery);
    if (tooLarge === undefined || fate === "refused") return new CallFault(fate, error);
    this.#tooLarge = undefined;
    return new CallFault("too-large", tooLarge);
  }
}
