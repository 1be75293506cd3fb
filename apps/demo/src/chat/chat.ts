import { ask } from "../cli/ask.ts";
import type { DemoOptions } from "../cli/options.ts";
import { dataFolder } from "../data/folder.ts";
import type { ChosenModel } from "../models/chosen-model.ts";
import { visible } from "../view/visible.ts";
import { wrapped } from "../view/wrap.ts";
import { filesIn } from "./attachments.ts";
import { type Chat, type ChatHost, commandOf, completionsOf, runCommandOf } from "./commands.ts";
import { LineEditor } from "./line-editor.ts";
import { PromptHistory } from "./prompt-history.ts";
import { UsageTotals } from "./usage.ts";
import { chatWords } from "./words.ts";

/**
 * Talks until the person leaves, with `/exit`, Ctrl-D or Ctrl-C. An empty first line starts the tour. What begins with a slash
 * is for the demo and never for the model.
 */
export async function chat(host: ChatHost, options: DemoOptions, chosen: ChosenModel | undefined): Promise<number> {
  const context = host.contextOf(options, chosen);
  const { style, write, columns } = context.terminal.screen;
  const words = chatWords(options.lang);
  write(style.dim(wrapped(`${words.hint}\n${chosen === undefined ? `${words.tourHint}\n` : ""}`, columns())));
  const typed = new PromptHistory(dataFolder(options.dataDir));
  const { folder } = host.config;
  const editor = new LineEditor({
    input: process.stdin,
    output: process.stdout,
    history: () => typed.newestFirst,
    complete: (line) => completionsOf(line, folder),
  });
  const state: Chat = {
    ...{ host, options, chosen, context, starts: [], attached: [], totals: new UsageTotals() },
    history: (await context.session.kept())?.book.messages ?? [],
  };
  for (let first = true; ; first = false) {
    const text = await editor.ask(`${style.accent("◆")}  ${style.strong(words.you)}`);
    if (text === undefined) return 0;
    const question = text.trim();
    write("\n");
    const { name, argument } = commandOf(question, words.leaving);
    // A known value is not kept where nobody looks for it.
    if (name !== "exit" && (await context.session.valuesIn(text)).length === 0) typed.add(text);
    if (name === "unknown") {
      write(`${style.warn(visible(words.unknown(question.split(/\s/, 1)[0] ?? "")))}\n\n`);
      continue;
    }
    if (name !== "none") {
      const next = await runCommandOf(state, name, argument);
      if (next === "leave") return 0;
      if (next === undefined) continue;
    } else if (question === "") {
      if (first && chosen === undefined) await host.tour(options, chosen);
      continue;
    }
    await askIn(state, name === "none" ? question : name);
  }
}

async function askIn(chat: Chat, question: string): Promise<void> {
  const { history, chosen, context } = chat;
  const { terminal } = context;
  const noFile = (path: string): void => terminal.note(`${chatWords(chat.options.lang).noFile(visible(path))}\n`);
  try {
    const named = chosen === undefined ? [] : filesIn(question, chat.host.config.folder, noFile);
    const result = await ask(question, context, { history, attached: [...chat.attached, ...named] });
    chat.attached = [];
    chat.starts.push(history.length);
    chat.totals.add(result, chosen?.currency);
    // The next run brings its own instructions.
    chat.history = result.transcript.messages.filter(({ role }) => role !== "system");
  } catch (error) {
    // A file that can't be read, a router that can't be reached: nothing was asked.
    terminal.screen.write(`${terminal.screen.style.warn(visible((error as Error).message))}\n\n`);
  }
}
