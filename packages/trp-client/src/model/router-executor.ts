import type { Action, CallsAction, Decision, Executor, ExecutorContext, ToolCall, ToolResult } from "@toolglot/core";
import { toJsonText } from "@toolglot/core";
import { ApprovalQueue, CallReport, checkConcurrency, denied, inOrder } from "@toolglot/core/executing";
import { checkWords, defined, isObject, textDigest } from "@toolglot/internal";
import type { AliasRow } from "@toolglot/trp-core/frames";
import { needsKey } from "../catalog-view.ts";
import { mayHaveRun } from "../errors.ts";
import { needsApproval, OpenKeys } from "../open-keys.ts";
import type { CallResult, TrpClient } from "../types.ts";
import { describeCapabilities, searchCatalog } from "./catalog-answers.ts";
import { findByName, type MeantCall, type RouterInput, readRouterInput, unknownName } from "./router-input.ts";
import { type Ending, failure, toEnding, toLost } from "./to-tool-result.ts";

/** A call that waits for somebody's decision. */
export interface WaitingCall {
  /** The router's record, when there is one. */
  approvalId: string | undefined;
  capId: string;
  args: Record<string, unknown>;
  key: string | undefined;
  callId: string;
}

/** Options of {@link routerExecutor}. */
export interface RouterExecutorOptions {
  /** Name of the model's tool. Default `router`. */
  toolName?: string;
  /** Calls that run at one time. Default 8. */
  maxConcurrency?: number;
  /** For each call, in milliseconds. Default: the client's. */
  timeoutMs?: number;
  approvals?: {
    /**
     * Brings the host's decision to the router, in the name of somebody who may decide (never the agent's own): approves or
     * denies the record, or signs a token. The call is then made again with the same key. Without this, a call that
     * needs an approval stays `pending`, and the host is not asked.
     */
    decide(waiting: WaitingCall, decision: Decision): Promise<{ approvalToken?: string }> | Promise<void>;
  };
}

/**
 * Runs a model's calls through a router: calls of the `router` tool, and calls by a capability's own name.
 *
 * One result per call. The outcome is that of running them one after another; neighbours that only read run side by side.
 * A call that changes something gets its key from run and call id, so that a step that is run again does nothing twice.
 * What is unknown is `in-doubt`, what waits for approval is `pending`, and the same call made again, in whatever step or
 * run, is that very operation. Never rejects for what a model, the router or the network did.
 */
export function routerExecutor(client: TrpClient, options: RouterExecutorOptions = {}): Executor {
  checkWords("routerExecutor", options, "toolName maxConcurrency timeoutMs approvals");
  checkWords("routerExecutor: approvals", options.approvals, "decide");
  const { toolName = "router", maxConcurrency = 8 } = options;
  checkConcurrency(maxConcurrency);
  const open = new OpenKeys();
  return {
    handles: (action: Action): action is CallsAction => action.kind === "calls",
    async execute(action, context) {
      if (action.kind !== "calls") throw new TypeError(`a routerExecutor runs calls, not ${action.kind}`);
      const { calls } = action;
      let rows: readonly AliasRow[];
      try {
        rows = (await client.catalog()).rows;
      } catch {
        const error = { type: "RouterUnavailable", message: "The router's catalog can't be read. Nothing was called." };
        return calls.map(({ id, name }) => ({ callId: id, ...failure(name, error) }));
      }
      const setting: Setting = { client, options: { ...options, maxConcurrency }, rows, context, open };
      const jobs = calls.map((call) => new Job(call, readCall(call, rows, toolName), setting));
      return inOrder(jobs, { maxConcurrency, onlyReads: (job) => job.onlyReads }, (job) => job.run());
    },
  };
}

function readCall(call: ToolCall, rows: readonly AliasRow[], toolName: string): RouterInput {
  if (call.name === toolName) return readRouterInput(call.input, rows);
  const found = findByName(call.name, rows);
  if (found.length === 1) return readRouterInput({ name: call.name, args: call.input ?? {} }, rows);
  if (found.length === 0) return { kind: "malformed", error: unknownName(call.name, rows).error };
  const message = `There are several ${call.name}: call them by ${toolName}, with the idx.`;
  return { kind: "malformed", error: { type: "InvalidInput", message } };
}

interface Setting {
  client: TrpClient;
  options: RouterExecutorOptions & { maxConcurrency: number };
  rows: readonly AliasRow[];
  context: ExecutorContext;
  open: OpenKeys;
}

/** One call of the model, which may be several of the router. */
class Job {
  readonly onlyReads: boolean;
  readonly #call: ToolCall;
  readonly #input: RouterInput;
  readonly #setting: Setting;
  readonly #approvals = new ApprovalQueue();

  constructor(call: ToolCall, input: RouterInput, setting: Setting) {
    this.#call = call;
    this.#input = input;
    this.#setting = setting;
    this.onlyReads = input.kind !== "calls" || input.calls.every(readsOnly);
  }

  async run(): Promise<ToolResult> {
    const { id: callId, name } = this.#call;
    const report = new CallReport(this.#setting.context, this.#call);
    const ending = await this.#end().catch((error: unknown): Ending => {
      // Asking for descriptions or matches: nothing was changed by that.
      const message = error instanceof Error ? error.message : "The router could not be asked.";
      return failure(name, { type: "RouterUnavailable", message });
    });
    report.end(ending);
    return { callId, ...ending };
  }

  async #end(): Promise<Ending> {
    const { client, rows } = this.#setting;
    const { name } = this.#call;
    const input = this.#input;
    switch (input.kind) {
      case "malformed":
        return failure(name, input.error);
      case "describe":
        return { name, ...(await describeCapabilities(client, input.names, rows)) };
      case "search":
        return { name, ...(await searchCatalog(client, input.query, rows)) };
      case "calls": {
        const [only] = input.calls;
        if (!input.isList && only !== undefined) return this.#callOne(only, 0);
        return this.#callAll(input.calls);
      }
    }
  }

  /** Several calls make one result, with one entry each. */
  async #callAll(calls: readonly MeantCall[]): Promise<Ending> {
    const { maxConcurrency } = this.#setting.options;
    const order = { maxConcurrency, onlyReads: readsOnly };
    const endings = await inOrder(calls, order, (call, index) => this.#callOne(call, index));
    const [only] = endings;
    if (endings.length === 1 && only !== undefined) return only;
    const data = endings.map(({ name, status, data, error }) => ({
      name,
      status,
      ...(data === undefined ? {} : isObject(data) ? data : { data }),
      ...defined({ error: error?.message, fix: error?.hint }),
    }));
    const status = worst(endings);
    const base: Ending = { name: this.#call.name, status, content: [{ type: "text", text: toJsonText(data) }], data };
    if (status === "ok" || status === "pending") return base;
    const failed = endings.filter((ending) => ending.status !== "ok");
    const message = `${failed.length} of ${endings.length} calls did not succeed: ${toJsonText(data)}`;
    return { ...base, error: { type: failed[0]?.error?.type ?? "Error", message } };
  }

  async #callOne(call: MeantCall, index: number): Promise<Ending> {
    if (!call.ok) return failure(call.name, call.error);
    const { row, args } = call;
    const { client, options, context, open } = this.#setting;
    const known = needsKey(row) ? open.find(row.cap_id, args) : undefined;
    const key = known ?? (needsKey(row) ? await stableKey(context.runId, this.#call.id, index) : undefined);
    const request = {
      idx: row.idx,
      capId: row.cap_id,
      args,
      schemaDigest: row.schema_digest,
      ...defined({ key, timeoutMs: options.timeoutMs }),
    };
    const ask = async (token: { approvalToken?: string }): Promise<CallResult> => {
      const outcome = await client.call({ ...request, ...token }, { signal: context.signal });
      open.note(args, outcome);
      return outcome;
    };
    try {
      const outcome = await ask({});
      if (!needsApproval(outcome) || options.approvals === undefined) return toEnding(row, outcome);
      const decided = await this.#decide(row, args, outcome, options.approvals.decide);
      if ("token" in decided) return toEnding(row, await ask(decided.token));
      if (decided.ending.status !== "pending") open.forget(row.cap_id, args);
      return decided.ending;
    } catch (error) {
      if (mayHaveRun(error)) open.noteLost(row.cap_id, args, key);
      return toLost(row, error, context.signal.aborted);
    }
  }

  async #decide(
    row: AliasRow,
    args: Record<string, unknown>,
    outcome: CallResult,
    decide: NonNullable<RouterExecutorOptions["approvals"]>["decide"],
  ): Promise<{ token: { approvalToken?: string } } | { ending: Ending }> {
    const { context } = this.#setting;
    const { id: callId } = this.#call;
    const reason = outcome.error?.message ?? `${row.name} needs an approval.`;
    const decision = await this.#approvals.ask(context, { callId, name: row.name, input: args, reason });
    // A host that can't be asked hasn't decided: the request stays open.
    if (decision === undefined) return { ending: toEnding(row, outcome) };
    const approvalId = outcome.error?.retryHint.approval_id;
    const waiting = { approvalId, capId: row.cap_id, args, key: outcome.key, callId: outcome.callId };
    let token: { approvalToken?: string } = {};
    try {
      token = (await decide(waiting, decision)) ?? {};
    } catch {
      // The decision didn't get to the router. What was denied stays undone all the same.
      if (decision.approved) return { ending: toEnding(row, outcome) };
    }
    if (decision.approved) return { token };
    return { ending: failure(row.name, denied(row.name, decision)) };
  }
}

function readsOnly(call: MeantCall): boolean {
  return !call.ok || call.row.io_class === "READ";
}

const bySeverity: readonly ToolResult["status"][] = ["in-doubt", "interrupted", "error", "denied", "pending", "ok"];

function worst(endings: readonly Ending[]): ToolResult["status"] {
  return bySeverity.find((status) => endings.some((ending) => ending.status === status)) ?? "ok";
}

/** The same for the same step of the same run, whichever process runs it. */
async function stableKey(runId: string, callId: string, index: number): Promise<string> {
  return `run_${await textDigest(JSON.stringify([runId, callId, index]))}`;
}
