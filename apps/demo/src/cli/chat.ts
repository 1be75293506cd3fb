import { isCancel, text } from "@clack/prompts";
import type { Message } from "@toolglot/core";
import { type AskContext, ask } from "./ask.ts";
import { goOn } from "./go-on.ts";
import type { DemoOptions } from "./options.ts";
import { wordsFor } from "./words.ts";

/**
 * Talks until the person leaves, with `/exit`, Ctrl-D or Ctrl-C. An empty first line starts the tour. What begins with a slash
 * is for the demo and never for the model.
 */
export async function chat(
  context: AskContext,
  contextOf: (options: DemoOptions) => AskContext,
  tour: () => Promise<number>,
): Promise<number> {
  const { options, terminal } = context;
  const { style, write } = terminal.screen;
  const words = wordsFor(options.lang);
  const withPlanner = options.model === undefined;
  write(style.dim(`${words.chatHint}\n${withPlanner ? `${words.tourHint}\n` : ""}`));
  let history: Message[] = (await context.session.programSession())?.book.messages ?? [];
  for (let first = true; ; first = false) {
    process.stdin.on("keypress", takeEnter);
    const typed = await text({ message: words.you, placeholder: words.example });
    process.stdin.off("keypress", takeEnter);
    if (isCancel(typed)) return 0;
    const question = (typed ?? "").trim();
    write("\n");
    switch (commandOf(question, words.leaving)) {
      case "exit":
        return 0;
      case "tour":
        await tour();
        continue;
      case "help":
        write(`${style.dim(words.commands)}\n\n`);
        // The planner knows what it can do; a model need not.
        if (!withPlanner) continue;
        break;
      case "resume": {
        const id = question.split(/\s+/)[1];
        const messages = await goOn(id, options, contextOf)
          .then((end) => end.messages)
          .catch((error: Error) => void write(`${style.warn(error.message)}\n\n`));
        if (messages) history = messages.filter(({ role }) => role !== "system");
        continue;
      }
      case "unknown":
        write(
          `${style.warn(words.unknownCommand(question.split(/\s/, 1)[0] ?? ""))}\n${style.dim(words.commands)}\n\n`,
        );
        continue;
      case "none":
        if (question !== "") break;
        if (first && withPlanner) await tour();
        continue;
    }
    const { transcript } = await ask(question.replace(/^\//, ""), context, history);
    // The next run brings its own instructions.
    history = transcript.messages.filter(({ role }) => role !== "system");
  }
}

/**
 * What was typed before the prompt stood there ends in a line feed, as the terminal made it, and not in a carriage return: the prompt
 * would take the one for nothing, and lose the line.
 */
function takeEnter(_: string, key: { name?: string }): void {
  if (key.name === "enter") key.name = "return";
}

/** What a line asks of the demo itself. */
export function commandOf(
  line: string,
  leaving: readonly string[],
): "exit" | "tour" | "help" | "resume" | "unknown" | "none" {
  const word = line.toLowerCase();
  if (["exit", "quit", "bye", "/exit", "/quit", ...leaving].includes(word)) return "exit";
  if (word === "/tour") return "tour";
  if (/^\/resume(?:\s+\S+)?$/.test(word)) return "resume";
  if (["help", "/help", "/?", "?", "帮助"].includes(word)) return "help";
  // A path may begin with a slash, too.
  return /^\/[\p{L}?]+(?:\s|$)/u.test(line) ? "unknown" : "none";
}
