import type {
  Action,
  CallsAction,
  Executor,
  ExecutorContext,
  JsonObject,
  ToolCall,
  ToolDefinition,
  ToolResult,
} from "@toolglot/core";
import { toJsonText } from "@toolglot/core";
import {
  ApprovalQueue,
  type CallOutcome,
  CallReport,
  checkConcurrency,
  denied,
  guardCall,
  inOrder,
  outsideOutcome,
  settledResult,
  undecided,
} from "@toolglot/core/executing";
import { checkKeys, defined, isObject } from "@toolglot/internal";
import type { AliasRow } from "@toolglot/trp-core/frames";
import { needsApproval, OpenKeys } from "../open-keys.ts";
import type { TrpClient } from "../types.ts";
import { describeCapabilities, searchCatalog } from "./catalog-answers.ts";
import { findByName, type MeantCall, type RouterInput, readRouterInput, unknownName } from "./router-input.ts";
import { type RouterApprovals, RowCall } from "./row-call.ts";
import { type Ending, failure, toEnding, toLost } from "./to-tool-result.ts";

/** Options of {@link routerExecutor}. */
export interface RouterExecutorOptions {
  /** Name of the model's tool. Default `router`. */
  toolName?: string;
  /** Calls that run at one time. Default 8. */
  maxConcurrency?: number;
  /** For each call, in milliseconds. Default: the client's. */
  timeoutMs?: number;
  approvals?: RouterApprovals;
}

/**
 * Runs a model's calls through a router: calls of the `router` tool, and calls by a capability's own name.
 *
 * One result per call. The outcome is that of running them one after another; neighbours that only read run side by side.
 * A call that changes something gets its key from run and call id, so that a step that is run again does nothing twice.
 * What is unknown is `in-doubt`, what waits for approval is `pending`, and the same call made again, in whatever step or
 * run, is that very operation. Never rejects for what a model, the router or the network did.
 *
 * @example
 * ```ts
 * const executor = routerExecutor(client);
 * ```
 */
export function routerExecutor(client: TrpClient, options: RouterExecutorOptions = {}): Executor {
  checkKeys("routerExecutor", options, "toolName:string maxConcurrency:number timeoutMs:number approvals:{decide}");
  checkKeys("routerExecutor: approvals", options.approvals, "decide:function");
  const { toolName = "router", maxConcurrency = 8 } = options;
  checkConcurrency(maxConcurrency);
  const open = new OpenKeys();
  return {
    honoursHooks: true,
    // Keys are made of run and call: the router knows what has happened.
    resumes: (action) => action.kind === "calls",
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
    const input = this.#input;
    const [only, ...more] = input.kind === "calls" ? input.calls : [];
    // One routed call is the model's call itself.
    if (only?.ok && more.length === 0) {
      const known = await settledResult(this.#setting.context, this.#routed(only, 0), toolOf(only.row));
      if (known) return known;
    }
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
    const endings = await inOrder(calls, order, async (call, index) => {
      const known =
        call.ok && (await settledResult(this.#setting.context, this.#routed(call, index), toolOf(call.row)));
      return known || this.#callOne(call, index);
    });
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

  /** Returns a routed call as the host's hooks see it: by the capability's name, with the arguments that go to the router. */
  #routed({ row, args }: MeantCall & { ok: true }, index: number): ToolCall {
    const isOne = this.#input.kind === "calls" && this.#input.calls.length === 1;
    const id = isOne ? this.#call.id : `${this.#call.id}:${index + 1}`;
    return { id, name: row.name, input: args, protocol: this.#call.protocol };
  }

  async #callOne(call: MeantCall, index: number): Promise<Ending> {
    if (!call.ok) return failure(call.name, call.error);
    const { row } = call;
    const routed = this.#routed(call, index);
    const outcome = await guardCall<unknown>(this.#setting.context, routed, {
      tool: toolOf(row),
      prepare: (input) => ({ ready: input, isValid: isObject(input) }),
      run: (input) => this.#send(row, input, routed.id, index),
    });
    return { name: row.name, ...outcome };
  }

  async #send(row: AliasRow, args: unknown, callId: string, index: number): Promise<CallOutcome> {
    if (!isObject(args)) {
      return failure(row.name, { type: "InvalidInput", message: `The arguments of ${row.name} must be an object.` });
    }
    const { client, options, context, open } = this.#setting;
    const setting = { client, open, signal: context.signal, timeoutMs: options.timeoutMs };
    try {
      const made = await RowCall.make(setting, row, args as JsonObject, [context.runId, this.#call.id, index]);
      const outcome = await made.send();
      if (!needsApproval(outcome) || options.approvals === undefined) return toEnding(row, outcome);
      const reason = outcome.error?.message ?? `${row.name} needs an approval.`;
      const decision = await this.#approvals.ask(context, { callId, name: row.name, input: args, reason });
      if (decision?.later) return undecided(row.name);
      // A host that can't be asked hasn't decided: the request stays open.
      const token = decision && (await made.decide(outcome, decision, options.approvals));
      // The router has a denial of it then: nobody runs it a second time.
      const outside = outsideOutcome(decision);
      if (outside) return outside;
      if (decision === undefined || token === undefined) return toEnding(row, outcome);
      return decision.approved ? toEnding(row, await made.send(token)) : failure(row.name, denied(row.name, decision));
    } catch (error) {
      return toLost(row, error, context.signal.aborted);
    }
  }
}

/** Returns the tool that a catalog's row describes. */
function toolOf({ name, desc, io_class: ioClass, risk_tier: riskTier }: AliasRow): ToolDefinition {
  const annotations = { readOnlyHint: ioClass === "READ", riskTier };
  return { name, description: desc, inputSchema: { type: "object" }, annotations };
}

function readsOnly(call: MeantCall): boolean {
  return !call.ok || call.row.io_class === "READ";
}

const bySeverity: readonly ToolResult["status"][] = ["in-doubt", "interrupted", "error", "denied", "pending", "ok"];

function worst(endings: readonly Ending[]): ToolResult["status"] {
  return bySeverity.find((status) => endings.some((ending) => ending.status === status)) ?? "ok";
}
