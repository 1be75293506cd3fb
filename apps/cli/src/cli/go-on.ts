import type { AgentOptions } from "@toolglot/agent";
import { type ExecutorContext, type Message, ToolglotError, type ToolResult } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import type { SandboxToolCall } from "@toolglot/sandbox";
import type { KeptProgram } from "../programs/program-book.ts";
import { visible } from "../view/visible.ts";
import { type AskContext, runAgent } from "./ask.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import type { CliOptions } from "./options.ts";
import { waitingNote } from "./waiting-note.ts";

/** How a resumed program ended. */
export interface WentOn {
  code: number;
  /** The conversation, when the model answered. */
  messages?: Message[];
}

/**
 * Resumes the program of that name, without one the only one there is: makes the calls that were not made yet, and lets
 * the model read what it came to. `contextOf` makes the context for the options of the program's own conversation. Throws `UsageError` for an unknown name.
 */
export async function goOn(
  id: string | undefined,
  options: CliOptions,
  contextOf: (options: CliOptions) => AskContext,
): Promise<WentOn> {
  const { session, terminal, words: all } = contextOf(options);
  const { programs } = session;
  const words = all.programs;
  const { note } = terminal;
  const kept = id === undefined ? programs.list() : [programs.find(id)];
  const [program, ...others] = kept;
  if (program === undefined) {
    note(`${words.none}\n`);
    return { code: exitCodes.answered };
  }
  if (others.length > 0) {
    const list = kept.map((one) => `  ${one.id}  ${one.since}  ${visible(questionOf(one)).slice(0, 80)}\n`).join("");
    note(`${words.several}\n${list}`);
    return { code: exitCodes.usage };
  }
  const { protocol, mode, router } = program;
  const own: CliOptions = { ...options, protocol, mode, messy: undefined };
  if (router !== options.router) {
    note(`${words.elsewhere(router)}\n`);
    return { code: exitCodes.usage };
  }
  return await finish(program, contextOf(own));
}

async function finish(program: KeptProgram, context: AskContext): Promise<WentOn> {
  const { session, view, terminal, words } = context;
  const began = performance.now();
  let results: ToolResult[] = [];
  try {
    const result = await runAgent(program.locale, context, async (agent, signal) => {
      results = await session.programs.goOn(agent.executor, program, contextOfRun(program, agent, signal, began));
      view.event({ type: "action-end", stepIndex: 0, at: performance.now() - began, results });
      const isOver = results.every(({ status }) => status !== "pending" && status !== "interrupted");
      if (!isOver || program.mode === "single") return undefined;
      return [...program.messages, ...results.map(asMessage)];
    });
    if (result) {
      const code = exitCodeOf(result);
      const isAnswered = code === exitCodes.answered;
      return { code: isAnswered ? codeOf(results) : code, messages: result.transcript.messages };
    }
  } catch (error) {
    if (!ToolglotError.isInstance(error)) throw error;
    const live = error.code === "sandbox/run-live";
    terminal.note(`${live ? words.programs.live(program.id) : error.message}\n`);
    return { code: exitCodes.error };
  }
  const waits = waitingNote({ results }, context);
  if (waits !== undefined) terminal.note(`${waits}\n`);
  return { code: codeOf(results) };
}

/** Of a program. One that failed is an answer for the model; one that was denied, for the person who asked for it. */
function codeOf([result]: readonly ToolResult[]): number {
  if (result?.status === "pending") return exitCodes.waiting;
  if (result?.status === "interrupted") return exitCodes.cancelled;
  const calls = (result?.metadata?.toolCalls ?? []) as SandboxToolCall[];
  // The router's own words, which a program gets as an error of its call.
  const denied = calls.some(({ error }) => error?.message.startsWith("Approval was denied"));
  return denied || result?.status === "denied" ? exitCodes.denied : exitCodes.answered;
}

function contextOfRun(
  { runId }: KeptProgram,
  agent: AgentOptions,
  signal: AbortSignal,
  began: number,
): ExecutorContext {
  return executorContext({
    runId,
    signal,
    emit: (event) => agent.onEvent?.({ ...event, stepIndex: 0, at: performance.now() - began }),
    async approve(request) {
      const decision = (await agent.approve?.(request, { signal, runId, stepIndex: 0 })) ?? false;
      if (decision === "later") return { approved: false, later: true };
      return typeof decision === "boolean" ? { approved: decision } : decision;
    },
  });
}

const asMessage = (result: ToolResult): Message => {
  return { role: "tool", parts: [{ type: "result", result }], trust: "untrusted" };
};

function questionOf({ messages }: KeptProgram): string {
  const asked = messages.findLast(({ role, trust }) => role === "user" && trust === "user");
  return asked?.parts.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
}
