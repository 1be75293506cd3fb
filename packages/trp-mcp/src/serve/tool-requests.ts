import {
  type CallToolRequest,
  type InputRequiredResult,
  inputRequired,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "@toolglot/core";
import { defined, isObject } from "@toolglot/internal";
import type { McpCallResult } from "@toolglot/toolkit/mcp";
import type { Face, Target } from "../faces/face.ts";
import type { Caller, ToolAnswer, ToolCallContext, ToolCalls } from "../types.ts";
import {
  type Askable,
  approvalElicitation,
  decisionOf,
  type Elicitation,
  questionAnswer,
  questionElicitation,
  SessionAsking,
} from "./asking.ts";
import { exactly } from "./exact-server.ts";
import { callerOf, cancellation, clientOf, type Incoming, metaOf, progressTo } from "./incoming.ts";
import { ParkedCalls, RunningCall } from "./parked-calls.ts";
import type { RequestState } from "./request-state.ts";
import type { ServerLogs } from "./server-logs.ts";

type Result = McpCallResult | InputRequiredResult;
type Run = (input: Input) => Promise<ToolAnswer>;
type Input = Pick<ToolCallContext, "signal" | "onProgress" | "ask" | "waitMs">;
type ApprovalState = Extract<RequestState, { approvalId: string }>;

/** The person at the client, as far as approvals go: what was answered to the last question, and how the next one is asked. */
interface Person {
  can: Askable;
  state: RequestState | undefined;
  answer: unknown;
  ask(state: ApprovalState, asked: Elicitation): Promise<Result>;
}

/** Answers `tools/call`. */
export class ToolRequests {
  readonly #face: Face;
  readonly #calls: ToolCalls;
  readonly #states: RequestStateCodec<RequestState>;
  readonly #logs: ServerLogs;
  readonly #parked = new ParkedCalls<Result>();

  constructor(face: Face, calls: ToolCalls, states: RequestStateCodec<RequestState>, logs: ServerLogs) {
    this.#face = face;
    this.#calls = calls;
    this.#states = states;
    this.#logs = logs;
  }

  async answer(
    params: CallToolRequest["params"],
    incoming: Incoming,
  ): Promise<ReturnType<typeof exactly> | InputRequiredResult> {
    const { name } = params;
    const args = (params.arguments ?? {}) as JsonObject;
    const caller = callerOf(incoming);
    const target = this.#face.target(caller, name, args);
    if (target === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
    if (target.kind === "text") return exactly(textResult(target));
    const run = (input: Input): Promise<ToolAnswer> =>
      this.#run(target, { caller, ...defined(input) }, incoming.context);
    if (incoming.era === "legacy") return exactly(asOfEarlier(await this.#inSession(name, target, run, incoming)));
    const result = await this.#inRounds(name, args, target, run, incoming);
    return isInputRequiredResult(result) ? result : exactly(result);
  }

  /** Revisions before 2026-07-28: the client is asked while it waits. */
  async #inSession(name: string, target: Target, run: Run, incoming: Incoming): Promise<McpCallResult> {
    const { context, server } = incoming;
    const { askable: can } = clientOf(incoming);
    const asking = new SessionAsking(context, can);
    const signal = cancellation(incoming);
    const ask = can.forms || can.urls || can.sampling ? asking.question.bind(asking) : undefined;
    const input = defined({ signal, ask, onProgress: progressTo(context) });
    const person = (state: RequestState | undefined, answer: unknown): Person => ({
      can,
      state,
      answer,
      ask: async (next, asked) => {
        // Nobody answered in time.
        const said = await asking.elicit(asked, next.expiresAt - Date.now()).catch(() => undefined);
        return this.#approved(name, run, callerOf(incoming), input, person(next, said));
      },
    });
    const stop = target.kind === "call" ? this.#logs.during(target.tool.server, server, context) : () => {};
    try {
      return (await this.#approved(
        name,
        run,
        callerOf(incoming),
        input,
        person(undefined, undefined),
      )) as McpCallResult;
    } finally {
      stop();
    }
  }

  /** 2026-07-28: a question ends the client's request, and its next one brings the answer. */
  async #inRounds(name: string, args: JsonObject, target: Target, run: Run, incoming: Incoming): Promise<Result> {
    const { context } = incoming;
    const { askable: can } = clientOf(incoming);
    const state = context.mcpReq.requestState<RequestState>();
    if (state !== undefined && !isStateOf(state, name, target)) throw badState();
    const answers = context.mcpReq.inputResponses ?? {};
    const round = { signal: cancellation(incoming), onProgress: progressTo(context) };
    const person: Person = {
      can,
      state,
      answer: answers.approval,
      ask: (next, asked) => this.#ask("approval", next, asked, context),
    };
    const call =
      this.#resumed(state, answers.question, [name, args]) ??
      new RunningCall<Result>([name, args], ({ signal, onProgress, ask }) =>
        this.#approved(
          name,
          run,
          callerOf(incoming),
          { signal, ...(round.onProgress && { onProgress }), ...((can.forms || can.urls) && { ask }) },
          person,
        ),
      );
    for (;;) {
      const end = await call.next(round);
      if ("result" in end) return end.result;
      const asked = questionElicitation(end.question, can);
      if (asked !== undefined && this.#parked.park(call)) {
        return this.#ask("question", { name, call: call.id }, asked, context);
      }
      call.answer({ action: "decline" });
    }
  }

  close(): void {
    this.#parked.close();
  }

  /** The call that the client's answer belongs to, with the answer given. A new one where it is not known any more. */
  #resumed(state: RequestState | undefined, answer: unknown, input: unknown): RunningCall<Result> | undefined {
    if (state === undefined || !("call" in state)) return undefined;
    const call = this.#parked.take(state.call);
    const isSame = call?.isOf(input) === true;
    call?.answer(isSame ? questionAnswer(answer) : { action: "cancel" });
    return isSame ? call : undefined;
  }

  /** Makes a call, and asks the person at the client where it needs an approval. */
  async #approved(name: string, run: Run, caller: Caller, input: Input, person: Person): Promise<Result> {
    const { can, state, answer } = person;
    const mayAsk = caller.mayElicit !== false && (can.forms || can.urls);
    let asked: string | undefined;
    let isAtPage = false;
    if (state !== undefined && "approvalId" in state && state.expiresAt > Date.now()) {
      const { approvalId, fingerprint, byLink } = state;
      asked = approvalId;
      isAtPage = byLink && questionAnswer(answer).action === "accept";
      const said = decisionOf(answer, byLink);
      if (said.decision !== "cancel") await this.#calls.decide(caller, approvalId, { ...said, fingerprint });
    }
    // A person who can be asked at once is not waited for elsewhere.
    if (!mayAsk || isAtPage) return (await run(input)).result;
    const { result, outcome, question } = await run({ ...input, waitMs: 0 });
    const isOpen = outcome.status === "pending" && outcome.approvalId !== undefined && outcome.approvalId !== asked;
    if (!isOpen) return result;
    const elicitation = question && approvalElicitation(question, can);
    if (question === undefined || elicitation === undefined) return (await run(input)).result;
    const { approvalId, capId, fingerprint, expiresAt } = question;
    const byLink = "mode" in elicitation;
    return person.ask({ name, approvalId, capId, fingerprint, expiresAt, byLink }, elicitation);
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

/** Whether the state was made for a call of this tool. */
function isStateOf(state: RequestState, name: string, target: Target): boolean {
  if (state.name !== name) return false;
  return !("capId" in state) || target.kind !== "call" || target.tool.capId === state.capId;
}

function badState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", {
    reason: "invalid_request_state",
  });
}

function textResult({ text, isError }: Extract<Target, { kind: "text" }>): McpCallResult {
  return { content: [{ type: "text", text }], ...(isError && { isError }) };
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
