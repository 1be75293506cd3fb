import { ask } from "../cli/ask.ts";
import type { CliOptions } from "../cli/options.ts";
import type { ChosenModel } from "../models/chosen-model.ts";
import { visible } from "../view/visible.ts";
import { wrapped } from "../view/wrap.ts";
import { filesIn } from "./attachments.ts";
import { type Chat, type ChatHost, commandNames, commandOf, completionsOf, runCommandOf } from "./commands.ts";
import { type EditorInput, LineEditor } from "./line-editor.ts";
import { PromptHistory } from "./prompt-history.ts";
import { UsageTotals } from "./usage.ts";

/**
 * Talks until the person leaves, with `/exit`, Ctrl-D or Ctrl-C. An empty first line starts the tour. What begins with a slash
 * is for the command line and never for the model.
 */
export async function chat(host: ChatHost, options: CliOptions, chosen: ChosenModel | undefined): Promise<number> {
  const context = host.contextOf(options, chosen);
  const { style, write, columns } = context.terminal.screen;
  const words = host.words.chat;
  const hasTour = host.tour !== undefined && chosen === undefined;
  write(style.dim(wrapped(`${words.hint}\n${hasTour ? `${words.tourHint}\n` : ""}`, columns())));
  const typed = new PromptHistory(host.data);
  const { folder } = host.config;
  const editor = new LineEditor({
    input: host.host.stdin as EditorInput,
    output: host.host.stdout,
    history: () => typed.newestFirst,
    complete: (line) => completionsOf(line, folder, commandNames(host)),
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
    const { name, argument } = commandOf(question, commandNames(host), words.leaving);
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
      if (first && hasTour) await host.tour?.(options, chosen);
      continue;
    }
    await askIn(state, name === "none" ? question : name);
  }
}

async function askIn(chat: Chat, question: string): Promise<void> {
  const { history, chosen, context } = chat;
  const { terminal } = context;
  const noFile = (path: string): void => terminal.note(`${chat.host.words.chat.noFile(visible(path))}\n`);
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
