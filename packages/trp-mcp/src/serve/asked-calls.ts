import {
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { defined } from "@toolglot/internal";
import { principalKey } from "../principal-key.ts";
import type { Caller, ImportedTool, ToolAnswer, ToolCallContext, ToolCalls } from "../types.ts";
import {
  type Askable,
  approvalElicitation,
  decisionOf,
  type Elicitation,
  type InputRequest,
  inputRequestOf,
  type OpenQuestions,
  questionAnswer,
  SessionAsking,
} from "./asking.ts";
import type { CallRelay } from "./call-relay.ts";
import { callerOf, cancellation, clientOf, type Incoming, progressTo } from "./incoming.ts";
import { ParkedCalls, RunningCall } from "./parked-calls.ts";
import type { RequestState } from "./request-state.ts";
import type { ServerLogs } from "./server-logs.ts";
import type { TaskCall } from "./task-log.ts";
import type { TaskStart, Tasks } from "./tasks.ts";

/** What calls are made and asked about with. `relay`: as in {@link ParkedCalls}. */
interface AskedCallsParts {
  calls: Pick<ToolCalls, "decide" | "now">;
  states: RequestStateCodec<RequestState>;
  logs: ServerLogs;
  /** Where calls become tasks, and after how many milliseconds. */
  taskRule: { tasks: Tasks; afterMs: number } | undefined;
  relay: CallRelay | undefined;
}

/** What a call is made with, each time that it is made. */
export type CallInput = Pick<ToolCallContext, "signal" | "onProgress" | "ask" | "waitMs" | "loginShown">;

/** A call that a person may have to be asked about. */
export interface AskedCall {
  /** Method and name, or address: a state that a client brings back is good for this one alone. */
  name: string;
  /** The rest of the request. */
  input: unknown;
  /** Where one is called. */
  tool: ImportedTool | undefined;
  /** What is kept of a call that may become a task. */
  task?: TaskCall;
  run(input: CallInput): Promise<ToolAnswer>;
}

type Answer = ToolAnswer | InputRequiredResult;
type TaskHandle = Awaited<ReturnType<Tasks["begin"]>>;
type QuestionState = Extract<RequestState, { expiresAt: number }>;

/** How long a person may look at the address of a login. Milliseconds. */
const loginMs = 600_000;

/** The person at the client, as far as approvals and logins go: what was answered to the last question, and how the next one is asked. */
interface Person {
  can: Askable;
  state: RequestState | undefined;
  answer: unknown;
  ask(state: QuestionState, asked: Elicitation): Promise<Answer>;
}

/** Makes calls, and has their clients asked: about approvals, and what servers ask in the middle of them. */
export class AskedCalls {
  readonly #parts: AskedCallsParts;
  readonly #parked: ParkedCalls<Answer>;

  constructor(parts: AskedCallsParts) {
    this.#parts = parts;
    this.#parked = new ParkedCalls(parts.relay);
  }

  /**
   * Resolves with the answer; on 2026-07-28 also with a question, whose answer comes with the client's next request, or with a task for a
   * call that can be one.
   */
  answer(call: AskedCall & { task: TaskCall }, incoming: Incoming): Promise<Answer | TaskHandle>;
  answer(call: AskedCall, incoming: Incoming): Promise<Answer>;
  answer(call: AskedCall, incoming: Incoming): Promise<Answer | TaskHandle> {
    return incoming.era === "legacy" ? this.#inSession(call, incoming) : this.#inRounds(call, incoming);
  }

  /** Revisions before 2026-07-28: the client is asked while it waits. */
  async #inSession(call: AskedCall, incoming: Incoming): Promise<Answer> {
    const { context, server } = incoming;
    const { askable: can } = clientOf(incoming);
    const asking = new SessionAsking(context, can);
    const signal = cancellation(incoming);
    const ask = Object.values(can).includes(true) ? asking.question.bind(asking) : undefined;
    const input = defined({ signal, ask, onProgress: progressTo(context) });
    const person = (state: RequestState | undefined, answer: unknown): Person => ({
      can,
      state,
      answer,
      ask: async (next, asked) => {
        // Nobody answered in time.
        const said = await asking.elicit(asked, next.expiresAt - this.#parts.calls.now()).catch(() => undefined);
        return make(person(next, said));
      },
    });
    const make = (whom: Person): Promise<Answer> =>
      this.#loggedIn(call, input, whom, (given) => this.#approved(call, callerOf(incoming), given, whom));
    const stop = call.tool && this.#parts.logs.during(call.tool.server, server, context);
    try {
      return await make(person(undefined, undefined));
    } finally {
      stop?.();
    }
  }

  /** 2026-07-28: a question ends the client's request, and its next one brings the answer. */
  async #inRounds(asked: AskedCall, incoming: Incoming): Promise<Answer | TaskHandle> {
    const { name, input, task } = asked;
    const { context } = incoming;
    const { askable: can, takesTasks } = clientOf(incoming);
    const caller = callerOf(incoming);
    const rule =
      takesTasks && task !== undefined && !this.#parts.taskRule?.tasks.isFull ? this.#parts.taskRule : undefined;
    const state = context.mcpReq.requestState<RequestState>();
    if (state !== undefined && !isStateOf(state, asked)) throw badState();
    const answers = (context.mcpReq.inputResponses ?? {}) as Record<string, unknown>;
    const round = { signal: cancellation(incoming), onProgress: progressTo(context) };
    const person: Person = {
      can,
      state,
      answer: answers.approval ?? answers.login,
      ask: (next, params) => {
        const request: InputRequest = { method: "elicitation/create", params };
        return this.#ask({ ["login" in next ? "login" : "approval"]: request }, next, context);
      },
    };
    // A call that is made for a task does not ask by itself.
    const known = [principalKey(incoming.caller), name, input, rule !== undefined];
    const resumed = this.#resumed(state, answers, known, can);
    if (resumed === undefined && state !== undefined && "call" in state) {
      const end = await this.#parts.relay?.give(state.call, { input: known, answers }, round.signal);
      const next = end && "questions" in end ? inputRequests(end.questions, can) : {};
      if (Object.keys(next).length > 0) return this.#ask(next, { ...state, round: state.round + 1 }, context);
      if (end && "result" in end) return end.result as Answer;
    }
    const call =
      resumed ??
      new RunningCall<Answer>(known, ({ signal, onProgress, ask }) => {
        const made = { signal, ask, ...(round.onProgress && { onProgress }) };
        // The task waits for the approval.
        return this.#loggedIn(asked, made, person, (given) =>
          rule === undefined ? this.#approved(asked, caller, given, person) : asked.run({ ...given, waitMs: 0 }),
        );
      });
    let isNew = resumed === undefined;
    let missing: ClientCapabilities | undefined;
    for (;;) {
      const end = await call.next(round, rule?.afterMs);
      if (rule !== undefined && task !== undefined && !("questions" in end)) {
        const start = startOf(rule.tasks, end, call);
        if (start !== undefined) return rule.tasks.begin(task, { caller, can, from: incoming.caller }, start);
      }
      if ("result" in end) {
        if (missing === undefined || !isFailed(end.result)) return end.result;
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities: missing });
      }
      if (!("questions" in end)) continue;
      if (isNew) {
        isNew = false;
        // A client that knows what is asked may bring the answers with the call.
        call.take(known, answers);
        if (Object.keys(call.questions).length < Object.keys(end.questions).length) continue;
      }
      const requests = inputRequests(end.questions, can);
      const isParked = Object.keys(requests).length > 0 && this.#parked.park(call);
      for (const [key, { kind }] of Object.entries(end.questions)) {
        if (isParked && Object.hasOwn(requests, key)) continue;
        call.answer(key, { action: "decline" });
        // People may decline. What else a server wants can only be had from a client that declares it.
        if (kind !== "elicitation" && !can[kind]) missing = { ...missing, [kind]: {} };
      }
      const before = state !== undefined && "call" in state ? state.round : 0;
      if (isParked) return this.#ask(requests, { name, call: call.id, round: before + 1 }, context);
    }
  }

  close(): void {
    this.#parked.close();
  }

  /**
   * The call that the client's answers belong to, with the answers given, or that a client without any state makes once more: it has lost
   * what it was asked. Undefined where there is none, or none any more.
   */
  #resumed(
    state: RequestState | undefined,
    answers: Record<string, unknown>,
    input: unknown,
    can: Askable,
  ): RunningCall<Answer> | undefined {
    const mayBe = (open: OpenQuestions): boolean => Object.keys(inputRequests(open, can)).length > 0;
    const call =
      state === undefined
        ? this.#parked.takeTwin(input, mayBe)
        : "call" in state
          ? this.#parked.take(state.call)
          : undefined;
    return call?.take(input, answers) ? call : undefined;
  }

  /** Makes a call, and shows the person at the client where to log in, once, where it needs that first. */
  async #loggedIn(
    { name }: AskedCall,
    input: CallInput,
    { can, state, answer, ask }: Person,
    make: (input: CallInput) => Promise<Answer>,
  ): Promise<Answer> {
    const isShown = state !== undefined && "login" in state;
    const goesThere = isShown && questionAnswer("elicitation", answer).action === "accept";
    const made = await make(goesThere ? { ...input, loginShown: true } : input);
    const login = "login" in made ? (made as ToolAnswer).login : undefined;
    if (login === undefined || isShown || !can.urls) return made;
    const { server, url, text: message } = login;
    return ask({ name, login: server, expiresAt: this.#parts.calls.now() + loginMs }, { mode: "url", message, url });
  }

  /** Makes a call, and asks the person at the client where it needs an approval. */
  async #approved({ name, run }: AskedCall, caller: Caller, input: CallInput, person: Person): Promise<Answer> {
    const { can, state, answer } = person;
    const mayAsk = can.forms || can.urls;
    let asked: string | undefined;
    let isAtPage = false;
    if (state !== undefined && "approvalId" in state && state.expiresAt > this.#parts.calls.now()) {
      const { approvalId, fingerprint, byLink } = state;
      asked = approvalId;
      isAtPage = byLink && questionAnswer("elicitation", answer).action === "accept";
      const said = decisionOf(answer, byLink);
      if (said.decision !== "cancel") await this.#parts.calls.decide(caller, approvalId, { ...said, fingerprint });
    }
    // A person who can be asked at once is not waited for elsewhere.
    if (!mayAsk || isAtPage) return run(input);
    const made = await run({ ...input, waitMs: 0 });
    const { outcome, question } = made;
    const approval = outcome.status === "pending" ? outcome.approvalId : undefined;
    if (approval === undefined || approval === asked) return made;
    const elicitation = question && approvalElicitation(question, can);
    if (question === undefined || elicitation === undefined) return run(input);
    const { approvalId, capId, fingerprint, expiresAt } = question;
    const byLink = "mode" in elicitation;
    return person.ask({ name, approvalId, capId, fingerprint, expiresAt, byLink }, elicitation);
  }

  async #ask(requests: Record<string, InputRequest>, state: RequestState, context: ServerContext): Promise<Answer> {
    const requestState = await this.#parts.states.mint(state, context);
    return inputRequired({ inputRequests: requests as never, requestState });
  }
}

/** The questions that a client can be asked. */
function inputRequests(questions: OpenQuestions, can: Askable): Record<string, InputRequest> {
  const requests = Object.entries(questions).map(([key, question]) => [key, inputRequestOf(question, can)] as const);
  return Object.fromEntries(requests.filter((one): one is [string, InputRequest] => one[1] !== undefined));
}

/** Whether the state was made for this call. */
function isStateOf(state: RequestState, { name, tool }: AskedCall): boolean {
  if (state.name !== name) return false;
  return !("capId" in state) || tool === undefined || tool.capId === state.capId;
}

function isFailed(answer: Answer): boolean {
  return "outcome" in answer && (answer as ToolAnswer).outcome.status === "failed";
}

function badState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", {
    reason: "invalid_request_state",
  });
}

/** What a task begins with, where a round's end makes one. */
function startOf(
  tasks: Tasks,
  end: { result: Answer } | { isLate: true },
  call: RunningCall<Answer>,
): TaskStart | undefined {
  if ("isLate" in end) return { running: call as RunningCall<ToolAnswer> };
  const approval = "outcome" in end.result ? tasks.approvalIn(end.result as ToolAnswer) : undefined;
  return approval && { approval };
}
