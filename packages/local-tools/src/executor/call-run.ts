import {
  contentText,
  type Decision,
  type Executor,
  type ExecutorContext,
  type Span,
  type ToolCall,
  ToolError,
  type ToolErrorInfo,
  type ToolResult,
} from "@toolglot/core";
import {
  ApprovalQueue,
  type CallOutcome,
  CallReport,
  failure,
  guardCall,
  outsideOutcome,
  settledResult,
  undecided,
} from "@toolglot/core/executing";
import { defined, settleWithin, unsettled } from "@toolglot/internal";
import { askedData, type GetValueInput, unescapePlaceholders } from "@toolglot/secrets/executing";
import type { DefinedTool } from "@toolglot/toolkit";
import type { FileOutcome } from "../edit/types.ts";
import { localErrorType } from "../errors.ts";
import type { CommandInput, EditInput, LocalContext, LocalTools, ReadInput } from "../local-tools.ts";
import { editText, errorInfo, readError, readText, shellOutcome } from "../results/texts.ts";
import { EditBatch } from "./edit-batch.ts";

/** How long a foreign executor may take to end its calls once they are aborted. */
const abortGraceMs = 500;

export interface CallRunSetting {
  local: LocalTools;
  tools: ReadonlyMap<string, DefinedTool<Record<string, unknown>>>;
  others: Executor | undefined;
  mcp: (server: string, tool: string) => string | undefined;
  context: ExecutorContext;
  span: Span;
  /** What the calls share. */
  room: TextRoom;
}

/** Runs the calls of one batch. Every call ends in one result, with its events around it. */
export class CallRun {
  readonly #setting: CallRunSetting;
  readonly #approvals = new ApprovalQueue();
  /** Calls that wait for a decision that comes later, or that have their result from elsewhere. */
  readonly #instead = new Map<string, CallOutcome | "later">();

  constructor(setting: CallRunSetting) {
    this.#setting = setting;
  }

  refuse(call: ToolCall, error: ToolErrorInfo): ToolResult {
    return this.#close(call, this.#open(call), failure(error));
  }

  async single(call: ToolCall): Promise<ToolResult> {
    if (!this.#setting.tools.has(call.name) && call.name !== "get_value") return this.#elsewhere(call);
    const known = await settledResult(this.#setting.context, call, this.#setting.tools.get(call.name));
    if (known) return known;
    const report = this.#open(call);
    const outcome = await this.#guard(call, async (asked, fault) => {
      if (fault !== undefined) return failure(errorInfo(fault));
      const ended = await this.#end(asked, report).catch((error: unknown) => failure(errorInfo(error)));
      return this.#standsFor(call) ?? ended;
    });
    return this.#close(call, report, outcome);
  }

  /** Runs one call with the host's hooks around it. `run` also gets what is wrong with the input. */
  #guard(call: ToolCall, run: (call: ToolCall, fault?: unknown) => Promise<CallOutcome>): Promise<CallOutcome> {
    const { context, tools } = this.#setting;
    return guardCall<{ asked: ToolCall; fault?: unknown }>(context, call, {
      tool: tools.get(call.name),
      prepare: async (input) => {
        const asked = { ...call, input };
        if (context.signal.aborted || !tools.has(call.name)) return { ready: { asked }, isValid: false };
        try {
          await this.#validated(asked);
          return { ready: { asked }, isValid: true };
        } catch (fault) {
          return { ready: { asked, fault }, isValid: false };
        }
      },
      run: ({ asked, fault }) => run(asked, fault),
    });
  }

  /** Runs the edits of a batch: all of them are made, or none. */
  async edits(calls: readonly ToolCall[]): Promise<ToolResult[]> {
    const { context, tools } = this.#setting;
    const known = await Promise.all(calls.map((call) => settledResult(context, call, tools.get(call.name))));
    const open = calls.filter((_, index) => known[index] === undefined);
    const reports = open.map((call) => this.#open(call));
    const batch = new EditBatch(open, async (ready) => {
      const [made] = await Promise.allSettled([this.#endEdits(ready)]);
      if (made.status === "fulfilled") return made.value;
      if (this.#instead.size === 0) throw made.reason;
      const isAnyLater = [...this.#instead.values()].includes("later");
      const rest = (name: string): CallOutcome => (isAnyLater ? undecided(name) : failure(notWithout));
      return ready.map((call) => this.#standsFor(call) ?? rest(call.name));
    });
    const outcomes = await Promise.all(
      open.map(async (call) => {
        const outcome = await this.#guard(call, (asked, fault) => batch.arrive(call, asked, fault));
        batch.leave(call);
        return outcome;
      }),
    );
    const results = open.map((call, index) =>
      this.#close(call, reports[index] as CallReport, outcomes[index] as CallOutcome),
    );
    return calls.map((_, index) => known[index] ?? (results.shift() as ToolResult));
  }

  async #end(call: ToolCall, report: CallReport): Promise<CallOutcome> {
    const { local, context } = this.#setting;
    if (context.signal.aborted) return { status: "interrupted", content: [] };
    // Where nobody can be asked there is no tool `get_value`, and the call itself is refused.
    const input = this.#setting.tools.has(call.name) ? await this.#validated(call) : call.input;
    const own = { ...this.#contextOf(call), onOutput: (output: string) => report.progress({ output }) };
    switch (call.name) {
      case "command":
        return shellOutcome(await local.command(input as unknown as CommandInput, own), "command", context.signal);
      case "input":
        return shellOutcome(await local.input(input as { data: string }, own), "input", context.signal);
      case "ctrl":
        return shellOutcome(await local.ctrl(input as { key: string }, own), "ctrl", context.signal);
      case "get_value":
        return await this.#getValue(call, input as unknown as GetValueInput);
      default: {
        const outcome = await local.read(input as ReadInput, own);
        const content = [{ type: "text" as const, text: readText(outcome) }];
        const error = readError(outcome);
        if (error === undefined) return { status: "ok", content };
        const isPart = outcome.some(({ kind }) => kind !== "failure");
        return { ...failure(error), ...(isPart ? { content } : {}) };
      }
    }
  }

  async #getValue(call: ToolCall, input: GetValueInput): Promise<CallOutcome> {
    const { local, context } = this.#setting;
    const { signal, runId, wait } = context;
    try {
      const asked = await local.getValue(input, { signal, runId, callId: call.id, ...defined({ wait }) });
      const data = askedData(asked);
      return { status: "ok", content: [{ type: "text", text: String(data.message) }], data };
    } catch (error) {
      if (signal.aborted) return { status: "interrupted", content: [] };
      const failed = failure(errorInfo(error));
      return localErrorType(error) === "ValueCancelled" ? { ...failed, status: "denied" } : failed;
    }
  }

  async #endEdits(calls: readonly ToolCall[]): Promise<CallOutcome[]> {
    const { local, context, room } = this.#setting;
    if (context.signal.aborted) return calls.map(() => ({ status: "interrupted", content: [] }));
    const inputs = await Promise.all(calls.map((call) => this.#validated(call) as Promise<unknown>));
    const files = (inputs as EditInput[]).map((input) => input.files);
    const outcome = await local.edit(files.flat(), {
      ...this.#contextOf(calls[0] as ToolCall),
      ask: (request, reason) => {
        const named = request.kind === "edit" ? request.sources : [];
        const index = files.findIndex((own) => own.some((file) => named.includes(file.src)));
        return this.#ask(calls[Math.max(0, index)] as ToolCall, reason);
      },
    });
    // Of several calls that name one file, the first reports it.
    const reported = new Set<FileOutcome>();
    return files.map((own) => {
      const sources = new Set(own.map((file) => file.src));
      const mine = outcome.files.filter(
        (file) => file.sources.some((source) => sources.has(source)) && !reported.has(file),
      );
      for (const file of mine) reported.add(file);
      const text =
        mine.length > 0 ? editText({ files: mine }, room.share) : "Made together with the edits of the call before.";
      const metadata = outcome.id === undefined ? {} : { change: outcome.id };
      return { status: "ok", content: [{ type: "text", text }], metadata };
    });
  }

  /** Resolves with the input as the tool takes it; rejects with `InvalidInput`. */
  async #validated(call: ToolCall): Promise<Record<string, unknown>> {
    const checked = await this.#setting.tools.get(call.name)?.schema.validate(call.input);
    if (checked?.success) return checked.value;
    const lines = (checked?.issues ?? []).map(({ message }) => `- ${message}`).join("\n");
    const message = `The input of ${call.name} does not fit:\n${lines}\nNothing was run.`;
    throw new ToolError(message, { data: { type: "InvalidInput" } });
  }

  #contextOf(call: ToolCall): LocalContext {
    const { context, room } = this.#setting;
    return {
      signal: context.signal,
      callId: call.id,
      ...defined({ wait: context.wait }),
      maxChars: room.share,
      ask: (_request, reason) => this.#ask(call, reason),
    };
  }

  async #ask({ id: callId, name, input }: ToolCall, reason: string): Promise<Decision> {
    const asked = { callId, name, input: unescapePlaceholders(input), reason };
    const decision = (await this.#approvals.ask(this.#setting.context, asked)) ?? { approved: false };
    const instead = decision.later ? "later" : outsideOutcome(decision);
    if (instead) this.#instead.set(callId, instead);
    return decision;
  }

  /** Returns what a call comes to by a decision, in place of what running it did. */
  #standsFor({ id, name }: ToolCall): CallOutcome | undefined {
    const instead = this.#instead.get(id);
    return instead === "later" ? undecided(name) : instead;
  }

  /** Runs a call with the other executor, which emits its events. */
  async #elsewhere(call: ToolCall): Promise<ToolResult> {
    const { others, mcp, context, span, room } = this.#setting;
    // What is not of this machine doesn't come to where the tools of this one undo doubled dollars.
    const own = unescapePlaceholders(call.input);
    const { server, name, arguments: input } = own as { server?: unknown; name?: unknown; arguments?: unknown };
    let target: ToolCall | undefined = { ...call, input: own };
    let error: ToolErrorInfo = { type: "UnknownTool", message: `There is no tool ${call.name} here.` };
    if (call.name === "mcp") {
      const tool = mcp(String(server), String(name));
      target = tool === undefined ? undefined : { ...call, name: tool, input };
      error = { type: "UnknownTool", message: `There is no tool ${name} of an MCP server ${server} here.` };
    }
    if (target === undefined || others === undefined) return this.refuse(call, error);
    const action = { kind: "calls" as const, calls: [target], span };
    try {
      if (!others.handles(action)) return this.refuse(call, error);
      const results = await orAborted(others.execute(action, context), context.signal);
      const result = results?.find(({ callId }) => callId === call.id);
      if (result !== undefined) {
        room.used(contentText(result.content).length);
        return { ...result, name: call.name };
      }
    } catch {
      // An executor must not reject; what became of the call is not known.
    }
    const message = "It is not known what became of the call.";
    return { callId: call.id, name: call.name, status: "in-doubt", content: [], error: { type: "InDoubt", message } };
  }

  #open(call: ToolCall): CallReport {
    return new CallReport(this.#setting.context, call);
  }

  #close({ id: callId, name }: ToolCall, report: CallReport, outcome: CallOutcome): ToolResult {
    this.#setting.room.used(contentText(outcome.content).length);
    const ms = Math.round(report.end(outcome));
    return { callId, name, ...outcome, metadata: { ms, ...outcome.metadata } };
  }
}

const notWithout: ToolErrorInfo = {
  type: "NotRun",
  message: "Nothing was written: another edit of this block was carried out elsewhere. Make this one again, alone.",
};

/** Returns an executor's results, or undefined a moment after the abort: one that ignores it holds up nobody. */
async function orAborted(running: Promise<ToolResult[]>, signal: AbortSignal): Promise<ToolResult[] | undefined> {
  const results = await settleWithin(running, { signal });
  if (results !== unsettled) return results;
  const late = await settleWithin(running, { ms: abortGraceMs });
  return late === unsettled ? undefined : late;
}

/** How much text each call of a batch may give, so that together they fit: an even share of what is left. */
export class TextRoom {
  #left: number;
  #calls: number;

  constructor(room: number, calls: number) {
    this.#left = room;
    this.#calls = Math.max(1, calls);
  }

  /** UTF-16 units for each of the next calls. */
  get share(): number {
    return Math.max(minShare, Math.floor(this.#left / Math.max(1, this.#calls)));
  }

  /** Counts the text of a call that has ended. */
  used(units: number): void {
    this.#left = Math.max(0, this.#left - units);
    this.#calls -= 1;
  }
}

/** Less is of no use; very many calls exceed the room, and the protocol's own budget cuts. */
const minShare = 500;
