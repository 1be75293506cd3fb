import type { Model } from "@toolglot/core";
import { defaultDataFolder } from "../data/paths.ts";
import { openStore } from "../data/store.ts";
import { chooseModel } from "../models/choose-model.ts";
import { createPlanner } from "../planner/planner.ts";
import { jsonView } from "../view/json-view.ts";
import { TerminalView } from "../view/terminal-view.ts";
import { type AskContext, ask } from "./ask.ts";
import { chat } from "./chat.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { Interrupts } from "./interrupts.ts";
import { type DemoOptions, parseArguments } from "./options.ts";
import { openSession, type Session } from "./session.ts";
import { processTerminal, type Terminal } from "./terminal.ts";
import { tour } from "./tour.ts";
import { UsageError } from "./usage-error.ts";

/** Runs the demo with the arguments after its name, and gives its exit code. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    const parsed = parseArguments(args);
    if ("print" in parsed) {
      process.stdout.write(parsed.print);
      return exitCodes.answered;
    }
    return await runWith(parsed.options);
  } catch (error) {
    const { message } = error as Error;
    const usage = error instanceof UsageError;
    process.stderr.write(`${usage ? `${message}\nnpm run demo -- --help shows all options.` : message}\n`);
    return usage ? exitCodes.usage : exitCodes.error;
  }
}

async function runWith(options: DemoOptions): Promise<number> {
  const terminal = processTerminal(options.json);
  modelFor(options, terminal);
  const store = openStore(options.dataDir ?? defaultDataFolder(), { reset: options.reset });
  if (store.fresh) terminal.note(`Data made in ${store.folder}\n`);
  const session = openSession(store);
  const interrupts = new Interrupts((code) => process.exit(code));
  interrupts.listen();
  try {
    if (!options.json) terminal.out(`${header(options, terminal)}\n\n`);
    return await converse(options, (own) => contextFor(own, { terminal, session, interrupts }));
  } finally {
    await session.dispose();
  }
}

async function converse(options: DemoOptions, contextOf: (options: DemoOptions) => AskContext): Promise<number> {
  const context = contextOf(options);
  if (options.question !== undefined) return exitCodeOf(await ask(options.question, context));
  if (context.terminal.interactive) return chat(context);
  return tour(contextOf, options, options.json);
}

function contextFor(
  options: DemoOptions,
  shared: { terminal: Terminal; session: Session; interrupts: Interrupts },
): AskContext {
  const { terminal } = shared;
  const view = options.json ? jsonView(terminal.out) : new TerminalView(terminal.screen);
  return { ...shared, options, view, model: modelFor(options, terminal) };
}

function modelFor({ model, baseUrl, messy, question }: DemoOptions, { interactive }: Terminal): Model {
  if (model !== undefined) return chooseModel({ name: model, baseUrl });
  // One question makes one slip; which one follows from its text, so that different questions show different slips.
  const turn = messy === true ? [...(question ?? "")].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) : messy;
  return createPlanner({ ...(turn !== undefined && { messy: turn }), delayMs: interactive ? 8 : 0 });
}

function header({ model, protocol, mode }: DemoOptions, { screen: { style } }: Terminal): string {
  const who = model ?? "rule-based planner, no language model";
  return `${style.strong("toolglot demo")} ${style.dim(`· ${who} · ${protocol} · ${mode}`)}`;
}
