import {
  type CallToolRequest,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  SdkError,
  SdkErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "@toolglot/core";
import { defined, isObject, onAbort } from "@toolglot/internal";
import type { McpCallResult, McpProgress } from "@toolglot/toolkit/mcp";
import type { Face, Target } from "../faces/face.ts";
import type { Caller, ToolAnswer, ToolCallContext, ToolCalls } from "../types.ts";
import {
  type Askable,
  approvalElicitation,
  askable,
  decisionOf,
  type Elicitation,
  questionAnswer,
  questionElicitation,
  SessionAsking,
} from "./asking.ts";
import { exactly } from "./exact-server.ts";
import type { GateCaller } from "./options.ts";
import { ParkedCalls, RunningCall, type RunningContext } from "./parked-calls.ts";
import type { RequestState } from "./request-state.ts";

const keyName = "toolglot/idempotencyKey";
const maxKeyLength = 256;

/** The revisions from 2026-07-28 on, or those before. */
export type Era = "modern" | "legacy";

/** A request of a client, as far as what is worked on needs it. */
export interface Incoming {
  server: Server;
  era: Era;
  context: ServerContext;
  caller: GateCaller;
}

/** The client program that a request came through, and what it lets itself be asked. */
export function clientOf({ server, context }: Pick<Incoming, "server" | "context">): {
  client: Caller["client"];
  askable: Askable;
} {
  const envelope = (context.mcpReq.envelope ?? {}) as Record<string, unknown>;
  const { [CLIENT_INFO_META_KEY]: said, [CLIENT_CAPABILITIES_META_KEY]: can } = envelope;
  const { name = "unknown", version = "" } = (said ?? server.getClientVersion() ?? {}) as Partial<Implementation>;
  const capabilities = (can ?? server.getClientCapabilities()) as ClientCapabilities | undefined;
  return { client: { name, version }, askable: askable(capabilities) };
}

/** Returns who sent a request, through which client. */
export function callerOf(incoming: Incoming): Caller {
  const { principal, mayElicit = true } = incoming.caller;
  return { principal, mayElicit, client: clientOf(incoming).client };
}

/** Aborted when the client takes a request back; on earlier revisions, and on a pipe, one that is merely gone cancels nothing. */
export function cancellation({ era, context }: Pick<Incoming, "era" | "context">): AbortSignal {
  const { signal } = context.mcpReq;
  if (era === "modern" && context.http?.req !== undefined) return signal;
  const taken = new AbortController();
  onAbort(signal, () => {
    const isGone = SdkError.isInstance(signal.reason) && signal.reason.code === SdkErrorCode.ConnectionClosed;
    if (!isGone) taken.abort(signal.reason);
  });
  return taken.signal;
}

type Result = ReturnType<typeof exactly> | InputRequiredResult;
type Input = Pick<ToolCallContext, "signal" | "onProgress" | "ask" | "elicit" | "waitMs">;

/** Answers `tools/call`. */
export class ToolRequests {
  readonly #face: Face;
  readonly #calls: ToolCalls;
  readonly #states: RequestStateCodec<RequestState>;
  readonly #parked = new ParkedCalls<Result>();

  constructor(face: Face, calls: ToolCalls, states: RequestStateCodec<RequestState>) {
    this.#face = face;
    this.#calls = calls;
    this.#states = states;
  }

  async answer(params: CallToolRequest["params"], incoming: Incoming): Promise<Result> {
    const { era, context } = incoming;
    const { askable: can } = clientOf(incoming);
    const caller = callerOf(incoming);
    const args = (params.arguments ?? {}) as JsonObject;
    const target = this.#face.target(caller, params.name, args);
    if (target === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${params.name} not found`);
    }
    if (target.kind === "text") return exactly(textResult(target));
    const run = (input: Input): Promise<ToolAnswer> => this.#run(target, { caller, ...defined(input) }, context);
    const onProgress = progressTo(context);
    const signal = cancellation(incoming);
    if (era === "legacy") {
      const asking = new SessionAsking(context, can);
      const elicit = caller.mayElicit && (can.forms || can.urls) && asking.approval.bind(asking);
      const ask = (can.forms || can.urls || can.sampling) && asking.question.bind(asking);
      const { result } = await run({ signal, onProgress, ...(ask && { ask }), ...(elicit && { elicit }) });
      return exactly(asOfEarlier(result));
    }
    const state = context.mcpReq.requestState<RequestState>();
    const isOther =
      target.kind === "call" && state !== undefined && "capId" in state && state.capId !== target.tool.capId;
    if (isOther || (state !== undefined && state.name !== params.name)) throw badState();
    const answers = context.mcpReq.inputResponses ?? {};
    const call =
      this.#resumed(state, answers, params) ??
      new RunningCall<Result>([params.name, args], (running) =>
        this.#approved(run, caller, can, { ...running, ...(!can.forms && !can.urls && { ask: undefined }) }, state, {
          answer: answers.approval,
          ask: (next, asked) => this.#ask("approval", { name: params.name, ...next }, asked, context),
        }),
      );
    for (;;) {
      const end = await call.next({ signal, onProgress });
      if ("result" in end) return end.result;
      const asked = questionElicitation(end.question, can);
      if (asked !== undefined && this.#parked.park(call)) {
        return this.#ask("question", { name: params.name, call: call.id }, asked, context);
      }
      call.answer({ action: "decline" });
    }
  }

  close(): void {
    this.#parked.close();
  }

  /** The call that the client's answer belongs to, with the answer given. A new one where it is not known any more. */
  #resumed(
    state: RequestState | undefined,
    answers: Record<string, unknown>,
    { name, arguments: args = {} }: CallToolRequest["params"],
  ): RunningCall<Result> | undefined {
    if (state === undefined || !("call" in state)) return undefined;
    const call = this.#parked.take(state.call);
    const isSame = call?.isOf([name, args]) === true;
    call?.answer(isSame ? questionAnswer(answers.question) : { action: "cancel" });
    return isSame ? call : undefined;
  }

  /** Makes a call, and asks the client about its approval: a client's answer to that comes with its next request. */
  async #approved(
    run: (input: Input) => Promise<ToolAnswer>,
    caller: Caller,
    can: Askable,
    { signal, onProgress, ask }: Omit<RunningContext, "ask"> & { ask: RunningContext["ask"] | undefined },
    state: RequestState | undefined,
    person: {
      answer: unknown;
      ask(state: Omit<Extract<RequestState, { capId: string }>, "name">, asked: Elicitation): Promise<Result>;
    },
  ): Promise<Result> {
    const input = { signal, onProgress, ...(ask && { ask }) };
    const mayAsk = caller.mayElicit !== false && (can.forms || can.urls);
    let asked: string | undefined;
    let isAtPage = false;
    if (state !== undefined && "approvalId" in state && state.expiresAt > Date.now()) {
      const { approvalId, fingerprint, byLink } = state;
      asked = approvalId;
      isAtPage = byLink && questionAnswer(person.answer).action === "accept";
      const said = decisionOf(person.answer, byLink);
      if (said.decision !== "cancel") await this.#calls.decide(caller, approvalId, { ...said, fingerprint });
    }
    // A person who can be asked at once is not waited for elsewhere.
    if (!mayAsk || isAtPage) return exactly((await run(input)).result);
    const { result, outcome, question } = await run({ ...input, waitMs: 0 });
    if (outcome.status !== "pending" || outcome.approvalId === undefined) return exactly(result);
    if (outcome.approvalId === asked) return exactly(result);
    const elicitation = question && approvalElicitation(question, can);
    if (question === undefined || elicitation === undefined) return exactly((await run(input)).result);
    const { approvalId, capId, fingerprint, expiresAt } = question;
    return person.ask({ approvalId, capId, fingerprint, expiresAt, byLink: "mode" in elicitation }, elicitation);
  }

  async #ask(key: string, state: RequestState, asked: Elicitation, context: ServerContext): Promise<Result> {
    const request = { method: "elicitation/create" as const, params: asked as never };
    return inputRequired({
      inputRequests: { [key]: request },
      requestState: await this.#states.mint(state, context),
    });
  }

  #run(
    target: Exclude<Target, { kind: "text" }>,
    context: ToolCallContext,
    request: ServerContext,
  ): Promise<ToolAnswer> {
    if (target.kind === "again") return this.#calls.again(target.receipt, context);
    if (target.kind === "status") return this.#calls.status(target.id, context);
    const { key, meta } = metaOf(request);
    return this.#calls.call({ tool: target.tool, arguments: target.arguments, ...defined({ key, meta }) }, context);
  }
}

function badState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", {
    reason: "invalid_request_state",
  });
}

function textResult({ text, isError }: Extract<Target, { kind: "text" }>): McpCallResult {
  return { content: [{ type: "text", text }], ...(isError && { isError }) };
}

/** Returns what passes progress on; undefined where the client wants none. */
function progressTo({ mcpReq: { _meta, notify } }: ServerContext): ((progress: McpProgress) => void) | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress) => {
    // A client that is gone needs none.
    notify({ method: "notifications/progress", params: { progressToken, ...progress } }).catch(() => {});
  };
}

/** The client's own key, and what of a request's `_meta` goes on to the server: all that is neither the protocol's nor ours. */
function metaOf({ mcpReq: { _meta } }: ServerContext): { key?: string | undefined; meta?: JsonObject | undefined } {
  const { progressToken, [keyName]: key, ...rest } = (_meta ?? {}) as Record<string, unknown>;
  if (key !== undefined && (typeof key !== "string" || key === "" || key.length > maxKeyLength)) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `_meta["${keyName}"] must be a text of 1 to ${maxKeyLength} characters`,
    );
  }
  const passed = Object.entries(rest).filter(([name]) => !/^(?:io\.modelcontextprotocol|toolglot)\//.test(name));
  return { key, meta: passed.length > 0 ? (Object.fromEntries(passed) as JsonObject) : undefined };
}

/** Returns a result as clients of earlier revisions take it: structured content is an object there, else it stands as text. */
function asOfEarlier(result: McpCallResult): McpCallResult {
  const { structuredContent, content = [], ...rest } = result;
  if (structuredContent === undefined || isObject(structuredContent)) return result;
  const hasText = content.some(({ type }) => type === "text");
  return {
    ...rest,
    content: hasText ? content : [...content, { type: "text", text: JSON.stringify(structuredContent) }],
  };
}
