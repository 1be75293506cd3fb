import {
  type AgentEvent,
  type AgentLimits,
  type AgentOptions,
  createAgent,
  type RunResult,
  recordRun,
} from "@toolglot/agent";
import { type Locale, type Message, type Model, messageText, textMessage } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import { type Attachment, attachmentMessage } from "../chat/attachments.ts";
import { usageText } from "../chat/usage.ts";
import type { Host } from "../host.ts";
import type { ChosenModel } from "../models/chosen-model.ts";
import type { RunView } from "../view/run-view.ts";
import type { Words } from "../words/index.ts";
import { agentOptions } from "./agent-options.ts";
import { type Allowed, type ApprovalOptions, approver } from "./approve.ts";
import { asDeclined } from "./exit-codes.ts";
import type { Interrupts } from "./interrupts.ts";
import type { KeptPermissions } from "./kept-permissions.ts";
import { lastingOf } from "./lasting.ts";
import type { CliOptions } from "./options.ts";
import type { RecordFile } from "./record.ts";
import type { Session } from "./session.ts";
import type { Terminal } from "./terminal.ts";
import { waitingNote } from "./waiting-note.ts";
import { whileWaiting } from "./while-waiting.ts";

/** What asking takes besides the question. */
export interface AskContext {
  options: CliOptions;
  session: Session;
  /** What answers, and what the agent knows of it. */
  agent: ChosenModel["agent"];
  /** What its price is in. */
  currency: string | undefined;
  view: RunView;
  interrupts: Interrupts;
  terminal: Terminal;
  words: Words;
  host: Pick<Host, "command">;
  /** Instructions of the folder that the model works in, after the person's own. */
  instructions?: string;
  /** What the person allowed until it ends. */
  allowed: Allowed;
  /** What the person allowed for good. */
  permissions: KeptPermissions;
  /** Why a module's own model declined the last question, when it did: only documents of ATTP say so by themselves. */
  declined: { message?: string };
  /** Where runs are recorded, if they are. */
  record: RecordFile | undefined;
}

/** What a question stands in. */
export interface Asking {
  /** What was said before. */
  history?: readonly Message[];
  attached?: readonly Attachment[];
}

/** Asks one question, draws the run, and resolves with its result. Never rejects for what a model or tool did. */
export async function ask(
  question: string,
  context: AskContext,
  { history = [], attached = [] }: Asking = {},
): Promise<RunResult> {
  const { options, session, terminal, words } = context;
  const files = attachmentMessage(attached);
  const result = (await runAgent(options.lang ?? languageOf(question), context, async () => {
    const typed = await session.valuesIn([question, files ? messageText(files) : ""].join("\n"));
    if (typed.length > 0) terminal.note(`${words.holdsValue(typed)}\n\n`);
    return [...history, ...(files ? [files] : []), textMessage("user", question)];
    // There was something to ask.
  })) as RunResult;
  sayUsage(result, context);
  try {
    await (await session.kept())?.keep(result.transcript.messages, options.protocol);
  } catch (error) {
    terminal.note(`${(error as Error).message}\n`);
  }
  return result;
}

/** What the answer was in tokens and money, where a person reads. */
function sayUsage({ usage }: RunResult, { options, currency, words, terminal: { screen } }: AskContext): void {
  const costs = new Map(usage.cost === undefined || currency === undefined ? [] : [[currency, usage.cost]]);
  const text = options.json ? undefined : usageText(usage, costs, words.chat);
  if (text !== undefined) screen.write(`  ${screen.style.dim(text)}\n\n`);
}

/** Runs the agent on the messages that `prepare` returns, which has the agent's own executor; none: the model is not asked. */
export function runAgent(
  locale: Locale,
  context: AskContext,
  prepare: (agent: AgentOptions, signal: AbortSignal) => Promise<Message[] | undefined>,
): Promise<RunResult | undefined> {
  const { options, session, view, interrupts, terminal, record, words, instructions } = context;
  const { protocol, mode, router } = options;
  session.watchTasks((event) => view.task(event));
  delete context.declined.message;
  const system = [options.system, instructions].filter((text) => text !== undefined).join("\n\n");
  let kept = false;
  return interrupts.during(async (signal) => {
    const hear = (messages: readonly Message[]): void => {
      const said = messages.filter(({ role }) => role !== "system");
      session.programs.hear({ protocol, mode, locale, ...(router !== undefined && { router }), messages: said });
    };
    const agent = await agentOptions({
      session,
      ...context.agent,
      ...(system !== "" && { system }),
      limits: agentLimits(options.limits),
      model: heardBy(view, whileWaiting(context.agent.model, terminal, words), {
        hear,
        heard: (text) => session.programs.heard(text),
      }),
      protocol,
      mode,
      locale,
      isKept: (await session.kept())?.keepsVariables ?? false,
      approve: approver({
        yes: options.yes,
        allowed: context.allowed,
        lasts: lastingOf(session, protocol),
        kept: keptFor(session, context.permissions),
        words,
        ...(terminal.prompt && { terminal: terminal.prompt }),
        ...(protocol.startsWith("trp-code") && { onLater: () => session.later() }),
        onCancel: () => interrupts.interrupt(),
      }),
      onEvent: (event: AgentEvent) => {
        kept ||= event.type === "wait-end" && event.outcome === "kept";
        view.event(asDeclined(event, context.declined.message !== undefined));
      },
    });
    const input = await prepare(agent, signal);
    if (input === undefined) return undefined;
    record?.begins(protocol);
    const run = record
      ? recordRun(agent, input, { signal, onLine: record.line })
      : createAgent(agent).run(input, { signal });
    const result = await run.result;
    if (result.status === "answered" && context.declined.message !== undefined) record?.declined();
    await sayAboutProject(result, kept, context);
    const waits = waitingNote(result, context);
    if (waits !== undefined) terminal.note(`${waits}\n`);
    // In a chat the person sees the ends of tasks as they come; without a chat they are awaited here.
    if (!terminal.interactive) await untilAborted(session.tasks.idle(), signal);
    return result;
  });
}

/** Permissions for good are for a tool of one place: another of the same name is asked about. */
function keptFor({ origins }: Session, kept: KeptPermissions): NonNullable<ApprovalOptions["kept"]> {
  const from = (tool: string): string => origins.get(tool)?.from ?? "";
  return {
    has: (tool) => kept.has({ tool, from: from(tool) }),
    add: (tool) => kept.add({ tool, from: from(tool) }),
  };
}

const agentLimits = ({ seconds, ...others }: CliOptions["limits"]): AgentLimits => {
  return defined({ ...others, timeMs: seconds === undefined ? undefined : seconds * 1000 });
};

/** Returns the language of a request: Chinese as soon as it holds a Han character. */
const languageOf = (text: string): Locale => (/\p{Script=Han}/u.test(text) ? "zh" : "en");

/** Writes once that edits can be undone, where a value is kept, and what the shell can't do here. */
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

/** The model; the view gets its raw text before anything else reads it, and `book` what was asked and said. */
function heardBy(
  view: RunView,
  model: Model,
  book: { hear(messages: readonly Message[]): void; heard(text: string): void },
): Model {
  return async function* heard(request, signal) {
    book.hear(request.messages);
    let text = "";
    for await (const part of model(request, signal)) {
      if (typeof part === "string") {
        view.modelText(part);
        text += part;
      }
      // The program in it may be run as soon as the last part is out.
      if (typeof part === "object" && part.type === "finish") book.heard(text);
      yield part;
    }
  };
}
