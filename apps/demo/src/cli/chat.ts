import { isCancel, text } from "@clack/prompts";
import type { Message } from "@toolglot/core";
import { type AskContext, ask } from "./ask.ts";

/** Talks until the person leaves, with an empty line, `exit`, Ctrl-D or Ctrl-C. */
export async function chat(context: AskContext): Promise<number> {
  const { style, write } = context.terminal.screen;
  write(
    style.dim('Ask in English or Chinese; "help" shows what works here, "exit" leaves, Ctrl-C cancels an answer.\n'),
  );
  let history: Message[] = [];
  for (;;) {
    const typed = await text({ message: "You", placeholder: "top 5 products by revenue" });
    if (isCancel(typed)) return 0;
    const question = (typed ?? "").trim();
    if (question === "") continue;
    if (/^\/?(?:exit|quit|bye|退出|再见)$/i.test(question)) return 0;
    write("\n");
    const { transcript } = await ask(question, context, history);
    // The next run brings its own instructions.
    history = transcript.messages.filter(({ role }) => role !== "system");
  }
}
