import { type AgentEvent, createAgent, type RunResult, recordRun } from "@toolglot/agent";
import { type Message, type Model, textMessage } from "@toolglot/core";
import { languageOf } from "../planner/text.ts";
import type { RunView } from "../view/run-view.ts";
import { type Allowed, approver } from "./approve.ts";
import type { Interrupts } from "./interrupts.ts";
import type { DemoOptions } from "./options.ts";
import type { RecordFile } from "./record.ts";
import { agentOptions, type Session } from "./session.ts";
import type { Terminal } from "./terminal.ts";
import { whileWaiting } from "./while-waiting.ts";
import { wordsFor } from "./words.ts";

/** What asking takes besides the question. */
export interface AskContext {
  options: DemoOptions;
  session: Session;
  model: Model;
  view: RunView;
  interrupts: Interrupts;
  terminal: Terminal;
  /** What the person allowed until the demo ends. */
  allowed: Allowed;
  /** Why the planner declined the last question, when it did: only documents of ATTP say so by themselves. */
  declined: { message?: string };
  /** Where runs are recorded, if they are. */
  record: RecordFile | undefined;
}

/** Asks one question, draws the run, and gives its result. Never rejects for what a model or tool did. */
export function ask(question: string, context: AskContext, history: readonly Message[] = []): Promise<RunResult> {
  const { options, session, model, view, interrupts, terminal, record } = context;
  session.watchTasks((event) => view.task(event));
  delete context.declined.message;
  const words = wordsFor(options.lang);
  let kept = false;
  return interrupts.during(async (signal) => {
    const output = terminal.promptOutput;
    const typed = await session.valuesIn(question);
    if (typed.length > 0) terminal.note(`${words.holdsValue(typed)}\n\n`);
    const agent = await agentOptions({
      session,
      model: heardBy(view, whileWaiting(model, terminal, words)),
      protocol: options.protocol,
      mode: options.mode,
      locale: options.lang ?? languageOf(question),
      approve: approver({
        yes: options.yes,
        allowed: context.allowed,
        words,
        ...(output && { terminal: { output } }),
        onCancel: () => interrupts.interrupt(),
      }),
      onEvent: (event: AgentEvent) => {
        kept ||= event.type === "wait-end" && event.outcome === "kept";
        view.event(event);
      },
    });
    const input = [...history, textMessage("user", question)];
    const run = record
      ? recordRun(agent, input, { signal, onLine: record.line })
      : createAgent(agent).run(input, { signal });
    const result = await run.result;
    if (result.status === "answered" && context.declined.message !== undefined) record?.declined();
    await sayAboutProject(result, kept, context);
    // In a chat the person sees the ends of tasks as they come; without a chat they are awaited here.
    if (!terminal.interactive) await untilAborted(session.tasks.idle(), signal);
    return result;
  });
}

/** Says once that edits can be undone, where a value is kept, and what the shell can't do here. */
async function sayAboutProject(
  { results }: RunResult,
  kept: boolean,
  { session, terminal }: AskContext,
): Promise<void> {
  const edited = results.some(({ name, status }) => name === "edit" && status === "ok");
  const ran = results.some(({ name, status }) => name === "command" && status !== "denied");
  for (const note of await session.projectNotes({ edited, ran, kept })) terminal.note(`${note}\n\n`);
}

/** Waits for work, or for the signal. */
function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return Promise.race([
    work,
    new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
  ]);
}

/** The model; the view gets its raw text before anything else reads it. */
function heardBy(view: RunView, model: Model): Model {
  return async function* heard(request, signal) {
    for await (const part of model(request, signal)) {
      if (typeof part === "string") view.modelText(part);
      yield part;
    }
  };
}
