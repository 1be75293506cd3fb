import type { ModuleExtension, TourStop } from "../modules/module.ts";
import { type AskContext, ask } from "./ask.ts";
import { exitCodeOf } from "./exit-codes.ts";
import type { CliOptions } from "./options.ts";

/** Walks through a module's stops; the first that does not end well ends the tour with its exit code. */
export async function tour(
  contextFor: (options: CliOptions) => AskContext,
  options: CliOptions,
  { tour: stopsOf, model }: ModuleExtension,
): Promise<number> {
  const stops = stopsOf?.(options.protocolGiven ? options.protocol : undefined) ?? [];
  // Its stops are questions of their own, and no part of a kept conversation.
  const { session: _, ...rest } = options;
  if (stops.some(({ protocol = options.protocol }) => protocol === "toolsxml") && !options.json)
    await sayWhatWasDone(contextFor(options));
  for (const [index, stop] of stops.entries()) {
    const { protocol = options.protocol, slip } = stop;
    const own: CliOptions = { ...rest, mode: "loop", protocol, messy: slip };
    // Without a question each stop takes the next slip.
    const slips = model?.slips?.[protocol] ?? [];
    if (options.protocolGiven && options.messy !== undefined)
      own.messy = options.messy === true ? slips[index % slips.length] : options.messy;
    const code = await visit(stop, index, contextFor(own));
    if (code !== 0) return code;
  }
  return 0;
}

async function visit(stop: TourStop, index: number, context: AskContext): Promise<number> {
  const { session, terminal, options } = context;
  const locale = options.lang ?? "en";
  const ready = await stop.prepare?.({
    question: stop.question[locale],
    locale,
    asks: terminal.prompt !== undefined,
    command: async (script) => {
      const local = await session.local();
      return (await local.command({ script }, { ask: async () => ({ approved: true }) })).output;
    },
    setValue: async (name, value) => void (await (await session.secrets()).secrets.set(name, value)),
  });
  // Where no command can be run, the stops before have said so.
  if (stop.prepare && ready === undefined) return 0;
  try {
    const question = ready?.question ?? stop.question[locale];
    const { style, write } = terminal.screen;
    if (!options.json) {
      const title = style.strong(`${index + 1}. ${stop.title[locale]}`);
      write(`${title}\n${style.dim(`   ${options.protocol} · ${question}`)}\n\n`);
    }
    if (ready?.note !== undefined) terminal.note(`${ready.note}\n\n`);
    return exitCodeOf(await ask(question, context), context.declined.message !== undefined);
  } finally {
    await ready?.close();
  }
}

/** The project keeps what was done to it, so a second tour finds less to do. */
async function sayWhatWasDone({ session, words, terminal: { screen } }: AskContext): Promise<void> {
  if ((await (await session.local()).changes()).length === 0) return;
  screen.write(`${screen.style.dim(words.changed)}\n\n`);
}
