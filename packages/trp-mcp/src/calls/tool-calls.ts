import { randomUUID } from "node:crypto";
import { type JsonObject, ToolglotError } from "@toolglot/core";
import { type CallFinding, checkCall } from "@toolglot/core/check-call";
import { checkKeys, defined, errorText } from "@toolglot/internal";
import type { McpCallResult } from "@toolglot/toolkit";
import type { CallResult } from "@toolglot/trp-client";
import type { Router } from "@toolglot/trp-core";
import type { TrpCode } from "@toolglot/trp-core/frames";
import { isBehindLogin } from "../import/behind-login.ts";
import { codeMeta } from "../import/kept-result.ts";
import { checkOwn } from "../import/own-schemas.ts";
import type {
  ApprovalDecision,
  CallExtras,
  Caller,
  ImportedTool,
  Outcome,
  ToolAnswer,
  ToolCall,
  ToolCallContext,
  ToolCalls,
} from "../types.ts";
import { answerOf, fixOf, keptResult, outcomeAnswer, replayed, sentence } from "./answers.ts";
import { waitForDecision } from "./approval-wait.ts";
import { Asking } from "./asking.ts";
import { EffectKeys, effectName, type NamedEffect } from "./effect-keys.ts";
import { KeptCalls, unknownReceipt } from "./kept-calls.ts";
import type { ToolCallsOptions } from "./options.ts";
import { againRole } from "./policies.ts";
import { receiptOf } from "./receipts.ts";
import { RouterClients } from "./router-clients.ts";

/** A call may take this long, if its capability does not say; the time without a sign of life is the server's setting. */
const maxMs = 600_000;
/** Keys of one effect that can be forgotten one after another, between two looks. */
const maxForgotten = 50;
/** How often a capability may change while a call is on its way. */
const maxChanges = 5;

/**
 * Makes calls of imported tools through a router: each effect gets its key, people are asked where the policy wants it, and every answer
 * says how the call ended. Throws `TypeError` for unknown options.
 */
export function createToolCalls(router: Router, options: ToolCallsOptions): ToolCalls {
  checkKeys(
    "createToolCalls",
    options,
    "tool:function channel:object elicitation:boolean waitMs:number approvalUrl:function inDoubtUrl:function isPageOnly:function damaged:function whileAsking:function tracing:object",
  );
  return new RoutedCalls(router, options);
}

/** What is known of a call when it is sent. */
interface Prepared {
  call: ToolCall;
  context: ToolCallContext;
  /** Present when the call's operation has a key that was made here. */
  effect: NamedEffect | undefined;
  /** Signs of damage in a call that is made nevertheless. */
  findings: readonly CallFinding[];
  /** The call repeats one on purpose. */
  again: boolean;
}

class RoutedCalls implements ToolCalls {
  readonly #router: Router;
  readonly #options: ToolCallsOptions;
  readonly #clients: RouterClients;
  readonly #keys: EffectKeys;
  readonly #kept: KeptCalls;
  readonly #asking: Asking;

  constructor(router: Router, options: ToolCallsOptions) {
    this.#router = router;
    this.#options = options;
    this.#clients = new RouterClients(router, options.tracing);
    this.#keys = new EffectKeys(router.store);
    this.#kept = new KeptCalls(router, options);
    this.#asking = new Asking(router, options);
  }

  call = (call: ToolCall, context: ToolCallContext): Promise<ToolAnswer> => this.#total(call, context, false);

  async #total(call: ToolCall, context: ToolCallContext, again: boolean): Promise<ToolAnswer> {
    try {
      return await this.#call(call, context, again);
    } catch (error) {
      return fault(error, receiptOf(call.tool.capId, call.key ?? ""));
    }
  }

  async #call(given: ToolCall, context: ToolCallContext, again: boolean): Promise<ToolAnswer> {
    const { tool } = given;
    const receipt = randomUUID();
    const refuse = (code: TrpCode, message: string, fix: string): ToolAnswer =>
      outcomeAnswer({ status: "refused", code, dispatched: false, receipt }, { message, fix });
    const registered = this.#router.registry.get(tool.capId);
    if (registered === undefined || isBehindLogin(tool)) {
      return refuse("TRP_1003", `The tool ${tool.shownName} is not available now.`, "List the tools again.");
    }
    const findings = checkCall({ name: tool.shownName, input: given.arguments }, tool.listed as never);
    const isRefused = tool.io === "WRITE" && this.#options.damaged?.(tool) !== "report";
    if (findings[0] !== undefined && isRefused) {
      return refuse("TRP_2001", findings[0].message, "Write the call again.");
    }
    const own = checkOwn(tool, given.arguments);
    if (!own.success)
      return refuse("TRP_2001", own.issues.join("; "), "Correct the arguments, as the input schema says.");
    const call = { ...given, arguments: own.args };
    if (!registered.keyRequired || call.key !== undefined) {
      return this.#attempts({ call, context, effect: undefined, findings, again }, receipt);
    }
    const checked = await registered.validate(call.arguments);
    // The router refuses wrong arguments, in the order of its own checks; no key is bound to them.
    const sent = checked.success ? call : { ...call, key: receipt };
    const effect = checked.success ? this.#effectOf(tool, context.caller, checked.args) : undefined;
    if (checked.success && effect === undefined) {
      const message = `The effect of this call is named by ${tool.settings.effectKey}, and an argument for it is missing.`;
      return refuse("TRP_2001", message, "Give that argument, and call again.");
    }
    return this.#attempts({ call: sent, context, effect, findings, again }, receipt);
  }

  #effectOf(tool: ImportedTool, { principal }: Caller, args: JsonObject): NamedEffect | undefined {
    const name = effectName(tool, args);
    return name === undefined ? undefined : { tool, principal, name };
  }

  /** Sends it, asks about it, and sends it again, until there is an answer. */
  async #attempts(prepared: Prepared, receiptOfRead: string): Promise<ToolAnswer> {
    const { call, context } = prepared;
    const { tool } = call;
    let forgotten = 0;
    let changes = 0;
    let isAsked = false;
    let isLookedAtAgain = false;
    for (;;) {
      const place = prepared.effect && (await this.#keys.current(prepared.effect, prepared.again, call.begunAt));
      const key = call.key ?? place?.key;
      const { extras, result } = await this.#send(prepared, key, receiptOfRead);
      const { error } = result;
      const receipt = result.key === undefined ? receiptOfRead : receiptOf(tool.capId, result.key);
      if (error?.code === "TRP_4005" && prepared.effect && place && forgotten++ < maxForgotten) {
        await this.#keys.after(prepared.effect, place.turn);
        continue;
      }
      // The capability changed on the way, as by the list of another caller.
      if (error?.code === "TRP_2007" && changes++ < maxChanges) continue;
      // A rule wants an approval of a read, and an approval needs a key.
      if (error?.code === "TRP_4003" && prepared.effect === undefined && call.key === undefined) {
        prepared.effect = this.#effectOf(tool, context.caller, call.arguments);
        if (prepared.effect !== undefined) continue;
      }
      const approvalId = error?.code === "TRP_4002" ? error.retryHint.approval_id : undefined;
      if (approvalId === undefined) return this.#answer(prepared, { extras, result, receipt });
      const before = prepared.effect && place && (await this.#keys.lastDone(prepared.effect, place.turn));
      const question = await this.#asking.question(approvalId, context.caller, before?.finishedAt);
      // Somebody has decided since it was sent.
      if (question === undefined && !isLookedAtAgain) {
        isLookedAtAgain = true;
        continue;
      }
      if (!isAsked && question !== undefined) {
        isAsked = true;
        const ask = (): Promise<boolean> => this.#asking.ask(question, context);
        if (await (this.#options.whileAsking?.(tool, ask) ?? ask())) continue;
      }
      const url = this.#options.approvalUrl?.(approvalId);
      const facts = { status: "pending" as const, code: "TRP_4002" as const, dispatched: false, receipt, approvalId };
      const where = url === undefined ? "" : ` at ${url}`;
      const fix = `Tell the user that this waits for approval${where}. Once it is approved, call the same tool with the same arguments.`;
      const words = { message: error?.message ?? "", fix };
      return outcomeAnswer({ ...facts, ...defined({ approvalUrl: url }) }, words, question);
    }
  }

  async #send(
    { call, context, again }: Prepared,
    key: string | undefined,
    receiptOfRead: string,
  ): Promise<{ extras: CallExtras; result: CallResult }> {
    const { channel } = this.#options;
    const { caller, signal, onProgress, ask, traceId } = context;
    const client = this.#clients.of(caller, again ? [...caller.principal.roles, againRole] : undefined);
    const callId = randomUUID();
    const isClientsKey = call.key !== undefined && call.key !== receiptOfRead;
    const receipt = key === undefined ? receiptOfRead : isClientsKey ? undefined : receiptOf(call.tool.capId, key);
    const extras: CallExtras = defined({ ask, onProgress, meta: call.meta, tool: call.tool, receipt });
    const stop = (): void => void client.cancel(callId).catch(() => {});
    channel.open(callId, extras);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const { maxTimeoutMs: timeoutMs = maxMs } = this.#router.registry.get(call.tool.capId)?.definition ?? {};
      const request = { capId: call.tool.capId, args: call.arguments, callId, key, timeoutMs };
      return {
        extras,
        result: await client.call(request, { deadlineMs: timeoutMs + 10_000, ...defined({ traceId }) }),
      };
    } finally {
      channel.close(callId);
      signal?.removeEventListener("abort", stop);
    }
  }

  now = (): number => this.#router.store.now();

  decide = (caller: Caller, approvalId: string, decision: ApprovalDecision): Promise<boolean> =>
    this.#asking.decide(caller, approvalId, decision);

  whenDecided = (
    { principal }: Caller,
    approvalId: string,
    { ms, ...wait }: { signal?: AbortSignal; ms: number },
  ): Promise<boolean> => waitForDecision(this.#router, principal, approvalId, wait, ms);

  #answer(
    { findings }: Prepared,
    { extras, result, receipt }: { extras: CallExtras; result: CallResult; receipt: string },
  ): ToolAnswer {
    const { status, error, replayedFrom, replayedAt } = result;
    const findingsMeta = findings.length > 0 && { "toolglot/findings": findings as unknown as JsonObject[] };
    const withFindings = (answer: ToolAnswer): ToolAnswer => {
      if (findingsMeta) Object.assign(answer.result._meta, findingsMeta);
      return answer;
    };
    if (status === "success") {
      const isNow = replayedFrom === undefined;
      const got = (isNow && extras.result) || keptResult(result.result?.data);
      // The effect happened, and its result could not be passed on.
      const lost = codeIn(got);
      const outcome: Outcome = {
        ...{ status: lost === undefined ? (isNow ? "done" : "replayed") : "failed", dispatched: true, receipt },
        ...defined({ code: lost }),
        ...(!isNow && replayedAt !== undefined && { doneAt: new Date(replayedAt).toISOString() }),
      };
      return withFindings(outcome.status === "replayed" ? replayed(got, outcome) : answerOf(got, outcome));
    }
    const code = error?.code as TrpCode | undefined;
    const { fault } = extras;
    const dispatched = error?.dispatched === true && fault?.fate !== "unsent";
    const ended =
      status === "unknown" ? (code === "TRP_3003" ? "pending" : "unknown") : dispatched ? "failed" : "refused";
    const facts = { status: ended, dispatched, receipt, ...defined({ code }) } as const;
    if (extras.result !== undefined && status === "failed") return withFindings(answerOf(extras.result, facts));
    const fix = fixOf(code, error?.fix ?? "", { inDoubt: this.#options.inDoubtUrl?.(), fate: fault?.fate });
    const { message = "It failed." } = error ?? {};
    // The router keeps to itself what ended a call of which nobody knows the outcome.
    const said =
      fault && { TRP_3002: fault.message, TRP_3004: `${sentence(fault.message)} ${message}` }[code as string];
    const answer = outcomeAnswer(facts, { message: said ?? message, fix });
    return withFindings({ ...answer, ...defined({ errorCode: fault?.code }) });
  }

  again = async (receipt: string, context: ToolCallContext): Promise<ToolAnswer> => {
    const found = await this.#kept.read(receipt, context.caller).catch(() => undefined);
    if (found === undefined) return unknownReceipt(receipt);
    const { tool, record } = found;
    const args = (record.data as { args?: JsonObject } | undefined)?.args;
    if (record.state === "in-doubt") return this.#kept.inDoubt(receipt);
    if (args === undefined || record.finishedAt === undefined) return unknownReceipt(receipt);
    return this.#total({ tool, arguments: args }, context, true);
  };

  status = async (id: string, { caller }: ToolCallContext): Promise<ToolAnswer> => {
    try {
      return await this.#kept.status(id, caller);
    } catch (error) {
      return fault(error, id);
    }
  };

  close = (): Promise<void> => this.#clients.close();
}

/** Answers with an error where the router should have answered: its store, its session, a fault of ours. */
function fault(error: unknown, receipt: string): ToolAnswer {
  const isUnknown = ToolglotError.isInstance(error) && (error.data as { outcome?: unknown })?.outcome === "unknown";
  const facts = { code: "TRP_5001", dispatched: false, receipt } as const;
  const message = `The gateway could not make the call: ${errorText(error)}.`;
  if (!isUnknown) return outcomeAnswer({ status: "refused", ...facts }, { message });
  const fix = "It is not known whether it was executed. Call again with the same arguments: it is not done twice.";
  return outcomeAnswer({ status: "unknown", ...facts }, { message, fix });
}

/** The code of a result that stands in for the server's own. */
function codeIn(result: McpCallResult): TrpCode | undefined {
  return (result as { _meta?: { [codeMeta]?: TrpCode } })._meta?.[codeMeta];
}
