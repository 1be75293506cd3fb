import { type JsonObject, ToolglotError } from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import { defined, errorText } from "@toolglot/internal";
import type { Sandbox, SandboxLanguage, SandboxRun, SandboxRunParked } from "@toolglot/sandbox";
import {
  behindLogin,
  type Caller,
  type ImportedServer,
  type ImportedTool,
  type Outcome,
  type ToolAnswer,
  type ToolCallContext,
  type ToolCalls,
  type ToolSearch,
  viewsFor,
} from "@toolglot/trp-mcp";
import type { CodeSettings } from "../config/settings.ts";
import { loadSandboxes, type Sandboxes } from "./load-sandbox.ts";
import { withTools } from "./prelude.ts";
import { endedAnswer, pendingAnswer, stoppedAnswer, toldAnswer } from "./program-answer.ts";
import { ProgramCalls } from "./program-calls.ts";
import { forgetPrograms, ProgramLog } from "./program-log.ts";
import { newReceipt, placeOf, readReceipt, runId } from "./receipts.ts";
import { runTool } from "./run-tool.ts";

/** Options of {@link createCodeFace}. */
export interface CodeFaceOptions {
  calls: ToolCalls;
  servers(): readonly ImportedServer[];
  /** Whether a caller may see a tool. What he doesn't see, his programs don't find. */
  visible(caller: Caller, tool: ImportedTool): boolean;
  /** Where programs that wait are kept: the router's store. */
  storage: Pick<Storage, "operations" | "logs" | "now">;
  settings: CodeSettings;
  /** For `tools.search` of programs. */
  finder: ToolSearch;
  /** Waits until a request for approval is decided, as long as a call may wait. Default: a program that waits is answered at once. */
  waitForDecision?(approvalId: string, context: ToolCallContext): Promise<boolean>;
  /** After a crash another process takes a program over this much later, in milliseconds. Default 15,000. */
  leaseMs?: number;
}

/** The tool `toolglot_run`. */
export interface CodeFace {
  /** As a list has it. */
  readonly listed: JsonObject & { name: string; inputSchema: JsonObject };
  /** Calls it. `meta`: the request's, for the servers. Never rejects. */
  run(args: JsonObject, context: ToolCallContext, meta?: JsonObject): Promise<ToolAnswer>;
  /** What became of a program, by its receipt; undefined for a receipt that is none of a program. */
  status(receipt: string, context: ToolCallContext): Promise<ToolAnswer> | undefined;
  /** Ends programs that run: they go on when they are asked for again. */
  close(): Promise<void>;
}

/** One run, as it is asked for. */
interface Asked {
  receipt: string;
  language: SandboxLanguage;
  log: ProgramLog;
  /** Absent when it is in the journal. */
  code?: string;
  /** Present when the run has ended, and is not to happen again. */
  replayedAt?: string;
}

const day = 24 * 60 * 60 * 1_000;
/** Longer than any run is remembered, and longer than effects that must not happen again so soon. */
const forgetAfterMs = 31 * day;
/** Ends of a run that leave it open: it goes on when it is asked for again. */
const openEnds = new Set(["Aborted", "EngineFailure", "LeaseLost", "JournalFailure"]);

/**
 * Makes the face in which models write programs. Rejects with `ToolglotError` `gateway/code-missing` when what runs them is not
 * installed.
 */
export async function createCodeFace(options: CodeFaceOptions): Promise<CodeFace> {
  return new SandboxedCode(options, await loadSandboxes(options.settings));
}

class SandboxedCode implements CodeFace {
  readonly listed: CodeFace["listed"];
  readonly #options: CodeFaceOptions;
  readonly #sandboxes: Sandboxes;
  readonly #forgetting: NodeJS.Timeout;
  /** What runs here, by its name in the store: who asks for it again gets the same answer. */
  readonly #running = new Map<string, { answer: Promise<ToolAnswer | undefined>; context: ToolCallContext }>();

  constructor(options: CodeFaceOptions, sandboxes: Sandboxes) {
    this.#options = options;
    this.#sandboxes = sandboxes;
    this.listed = runTool([...sandboxes.keys()]);
    const forget = (): void => void forgetPrograms(options.storage, forgetAfterMs).catch(() => {});
    this.#forgetting = setInterval(forget, day);
    this.#forgetting.unref();
    forget();
  }

  async run(args: JsonObject, context: ToolCallContext, meta?: JsonObject): Promise<ToolAnswer> {
    try {
      for (;;) {
        const asked = await this.#asked(args, context.caller);
        if (!("receipt" in asked)) return asked;
        const answer = await this.#joined(asked, context, meta);
        if (answer !== undefined) return answer;
        // Too much of the run is forgotten.
        await asked.log.end(asked.receipt, false);
        if (asked.code === undefined) return unknownReceipt(asked.receipt);
      }
    } catch (error) {
      return refused("TRP_5001", `The program could not be run: ${errorText(error)}.`);
    }
  }

  /** Runs it, or waits for who runs it already. Undefined when it can't go on. */
  async #joined(asked: Asked, context: ToolCallContext, meta?: JsonObject): Promise<ToolAnswer | undefined> {
    const id = runId(asked.receipt, context.caller.principal);
    for (;;) {
      const other = this.#running.get(id);
      if (other === undefined) break;
      const answer = await other.answer;
      // Its client is gone, and has stopped it.
      const isStopped = other.context.signal?.aborted === true && context.signal?.aborted !== true;
      if (!isStopped) return answer;
    }
    const answer = this.#toEnd(asked, id, inOrder(context), meta).finally(() => this.#running.delete(id));
    this.#running.set(id, { answer, context });
    return await answer;
  }

  /** Which run it is: one that goes on, or a new one. */
  async #asked({ code, language, resume }: JsonObject, { principal }: Caller): Promise<Asked | ToolAnswer> {
    if (typeof resume === "string" && resume !== "") {
      const language = readReceipt(resume)?.language;
      if (language === undefined || !this.#sandboxes.has(language)) return unknownReceipt(resume);
      const log = await ProgramLog.read(this.#options.storage, placeOf(resume, principal));
      return log.run(resume) === undefined ? unknownReceipt(resume) : { receipt: resume, language, log };
    }
    const [first] = this.#sandboxes.keys();
    const chosen = (language ?? first) as SandboxLanguage;
    if (!this.#sandboxes.has(chosen)) {
      const there = [...this.#sandboxes.keys()].join(", ");
      return refused("TRP_2001", `Programs are written in ${there} here, not in ${JSON.stringify(language)}.`);
    }
    if (typeof code !== "string" || code.trim() === "") {
      return refused("TRP_2001", `toolglot_run needs "code", a program, or "resume", the receipt of one that waits.`);
    }
    const fresh = newReceipt(chosen, code);
    const log = await ProgramLog.read(this.#options.storage, placeOf(fresh, principal));
    const replayedAt = this.#doneAt(log);
    if (log.last === undefined || (log.last.end !== undefined && replayedAt === undefined)) await log.begin(fresh);
    const { receipt = fresh } = log.last ?? {};
    return { receipt, language: chosen, log, code, ...defined({ replayedAt }) };
  }

  /** When the last run ended, if what it did is not to be done again yet. */
  #doneAt({ last }: ProgramLog): string | undefined {
    const { isOk = false, at = 0, windowMs = 0 } = last?.end ?? {};
    return isOk && at + windowMs > this.#options.storage.now() ? new Date(at).toISOString() : undefined;
  }

  /** Runs it until it ends, or waits for what nobody decides now. */
  async #toEnd(asked: Asked, id: string, context: ToolCallContext, meta?: JsonObject): Promise<ToolAnswer | undefined> {
    const { receipt, language, log, replayedAt } = asked;
    const { calls: toolCalls, finder } = this.#options;
    const visible = (): ImportedTool[] => this.#visibleTo(context.caller);
    const unknown = (name: string): ImportedTool | undefined =>
      behindLogin(context.caller.principal, this.#options.servers(), name);
    const isAsked = new Set<string>();
    for (;;) {
      const calls = new ProgramCalls({ receipt, log, calls: toolCalls, visible, unknown, finder, context, meta });
      let run: SandboxRun | SandboxRunParked;
      try {
        run = await this.#execute(asked, id, calls, context);
      } catch (error) {
        return notRun(error, receipt);
      }
      if (run.status !== "parked") {
        if (run.status === "error" && openEnds.has(run.error.type)) return stoppedAnswer(run, { receipt, calls });
        await log.end(receipt, run.status === "ok");
        return endedAnswer(run, { receipt, language, calls, ...defined({ replayedAt }) });
      }
      if (!(await this.#isDecided(calls, context, isAsked))) return pendingAnswer(run, { receipt, calls });
    }
  }

  async #execute(
    { language, code }: Asked,
    id: string,
    calls: ProgramCalls,
    { caller, signal, ask }: ToolCallContext,
  ): Promise<SandboxRun | SandboxRunParked> {
    const sandbox = this.#sandboxes.get(language) as Sandbox;
    const { storage, leaseMs } = this.#options;
    const durable = { storage, id, parkAfterMs: 60_000, keepMs: day, ...defined({ leaseMs }) };
    const { tenant, id: principal } = caller.principal;
    const domain = JSON.stringify([tenant, principal]);
    const more = { tools: calls.tools, domain, ...defined({ signal, ask }) };
    if (code === undefined) return await sandbox.resume(durable, more);
    try {
      return await sandbox.run(withTools(language, code), { ...more, durable });
    } catch (error) {
      // Begun by a version of the gateway that puts something else before programs.
      if (codeOf(error) !== "sandbox/run-conflict") throw error;
      return await sandbox.resume(durable, more);
    }
  }

  /** Whether somebody has decided about a call that waits, so that the program can go on. */
  async #isDecided(calls: ProgramCalls, context: ToolCallContext, isAsked: Set<string>): Promise<boolean> {
    const { elicit, caller } = context;
    let isDecided = false;
    const others: string[] = [];
    for (const { question, outcome } of calls.waiting) {
      const { approvalId } = outcome;
      if (approvalId === undefined || isAsked.has(approvalId)) continue;
      isAsked.add(approvalId);
      if (question === undefined || elicit === undefined) {
        others.push(approvalId);
        continue;
      }
      const decision = await elicit(question).catch(() => ({ decision: "cancel" as const }));
      const { fingerprint } = question;
      if (await this.#options.calls.decide(caller, approvalId, { ...decision, fingerprint })) isDecided = true;
    }
    const { waitForDecision } = this.#options;
    // 0: somebody is asked in another way, after the answer.
    if (isDecided || waitForDecision === undefined || context.waitMs === 0) return isDecided;
    return (await Promise.all(others.map((approvalId) => waitForDecision(approvalId, context)))).includes(true);
  }

  #visibleTo(caller: Caller): ImportedTool[] {
    const { servers, visible } = this.#options;
    return viewsFor(caller.principal, servers())
      .flatMap(({ tools }) => tools)
      .filter((tool) => visible(caller, tool));
  }

  status(receipt: string, { caller }: ToolCallContext): Promise<ToolAnswer> | undefined {
    return readReceipt(receipt) === undefined ? undefined : this.#status(receipt, caller);
  }

  async #status(receipt: string, { principal }: Caller): Promise<ToolAnswer> {
    const log = await ProgramLog.read(this.#options.storage, placeOf(receipt, principal)).catch(() => undefined);
    const run = log?.run(receipt);
    if (run === undefined) return { ...unknownReceipt(receipt) };
    const { end } = run;
    const fix = `toolglot_run ${JSON.stringify({ resume: receipt })} ${end ? "gives what it came to" : "goes on with it"}.`;
    const status = end === undefined ? "pending" : end.isOk ? "done" : "failed";
    const outcome: Outcome = { status, dispatched: run.begun.size > 0, receipt, fix };
    const doneAt = end && new Date(end.at).toISOString();
    const message = doneAt ? `The program ended at ${doneAt}.` : "The program waits, or is running.";
    const { result, ...answer } = toldAnswer({ ...outcome, ...defined({ doneAt }) }, message);
    return { ...answer, result: { ...result, isError: false } };
  }

  async close(): Promise<void> {
    clearInterval(this.#forgetting);
    await Promise.all([...this.#sandboxes.values()].map((sandbox) => sandbox[Symbol.asyncDispose]()));
  }
}

/** Progress of a whole program, which never goes back: its calls report theirs, and so does who waits for a decision. */
function inOrder({ onProgress, ...context }: ToolCallContext): ToolCallContext {
  if (onProgress === undefined) return context;
  let progress = 0;
  return { ...context, onProgress: ({ message }) => onProgress({ progress: ++progress, ...defined({ message }) }) };
}

/** The answer when the sandbox has not run it; undefined when it never will. */
function notRun(error: unknown, receipt: string): ToolAnswer | undefined {
  switch (codeOf(error)) {
    case "sandbox/run-live": {
      const fix = `Get what it comes to with toolglot_run ${JSON.stringify({ resume: receipt })}.`;
      const outcome = { status: "pending", code: "TRP_3003", dispatched: true, receipt, fix } as const;
      return toldAnswer(outcome, "The program is running now, for another request.");
    }
    case "sandbox/run-unknown":
    case "sandbox/run-expired":
    case "sandbox/journal-unreadable":
      return undefined;
    case "sandbox/busy":
    case "sandbox/disposed":
      return refused("TRP_5003", "The gateway runs as many programs as it can, or is closing.", "Try again later.");
    default:
      throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return ToolglotError.isInstance(error) ? error.code : undefined;
}

function refused(code: NonNullable<Outcome["code"]>, message: string, fix?: string, receipt = ""): ToolAnswer {
  return toldAnswer({ status: "refused", code, dispatched: false, receipt, ...defined({ fix }) }, message);
}

function unknownReceipt(receipt: string): ToolAnswer {
  const message = "No program is kept under that receipt: it is unknown, somebody else's, or too old. Nothing was run.";
  return refused("TRP_2001", message, "Run the program itself.", receipt.slice(0, 200));
}
