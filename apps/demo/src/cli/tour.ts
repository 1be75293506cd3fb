import { type AskContext, ask } from "./ask.ts";
import { exitCodeOf } from "./exit-codes.ts";
import type { DemoOptions } from "./options.ts";

interface Stop {
  title: string;
  question: string;
  options: Partial<DemoOptions>;
}

/** Both languages, both protocols, and a slip that is repaired. */
const stops: readonly Stop[] = [
  {
    title: "One program reads a rule, takes the limit from its text, and queries the orders",
    question: "Check which orders are affected by the shipping delay policy",
    options: { protocol: "attp", messy: undefined },
  },
  {
    title: "In Chinese, and the planner forgets the table's header on purpose: the parser repairs it",
    question: "销售额最高的 5 种商品是什么？",
    options: { protocol: "attp", messy: "missing-header" },
  },
  {
    title: "The same tools as native function calls, two at a time",
    question: "Compare the return policy and the warranty terms",
    options: { protocol: "native", messy: undefined },
  },
];

/** Walks through the stops; the first that does not end well ends the tour with its exit code. */
export async function tour(
  contextFor: (options: DemoOptions) => AskContext,
  options: DemoOptions,
  json: boolean,
): Promise<number> {
  for (const [index, stop] of stops.entries()) {
    const own: DemoOptions = { ...options, mode: "loop", ...stop.options };
    const context = contextFor(own);
    const { style, write } = context.terminal.screen;
    if (!json) {
      write(
        `${style.strong(`${index + 1}. ${stop.title}`)}\n${style.dim(`   ${own.protocol} · ${stop.question}`)}\n\n`,
      );
    }
    const code = exitCodeOf(await ask(stop.question, context));
    if (code !== 0) return code;
  }
  return 0;
}
