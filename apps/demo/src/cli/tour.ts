import { slipsOf } from "../planner/slips/index.ts";
import { type AskContext, ask } from "./ask.ts";
import { exitCodeOf } from "./exit-codes.ts";
import type { DemoOptions } from "./options.ts";

interface Stop {
  title: string;
  question: string;
  options: Partial<DemoOptions>;
}

/** Both languages, all protocols, and slips that are repaired. */
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
    title: "A plan of two steps between delimiters, one set of them mistyped",
    question: "Compare the return policy and the warranty terms",
    options: { protocol: "tam", messy: "mixed-delimiters" },
  },
  {
    title: "An XML block whose query is not escaped",
    question: "按月份列出订单数量",
    options: { protocol: "toolsxml", messy: "unescaped" },
  },
  {
    title: "The same tools as native function calls, two at a time",
    question: "Compare the return policy and the warranty terms",
    options: { protocol: "native", messy: undefined },
  },
  {
    title: "One tool, a router that keeps catalog, policy, keys and audit; the planner mixes up a number",
    question: "show order 1042",
    options: { protocol: "trp", messy: "wrong-number" },
  },
];

/** The tour of one protocol: a request with one call, one with calls side by side, and one whose calls depend on each other. */
const oneProtocol: readonly Stop[] = [
  { title: "One call", question: "show order 1042", options: {} },
  { title: "Two at a time, then two more", question: "Compare the return policy and the warranty terms", options: {} },
  { title: "In Chinese", question: "总结一下退货政策", options: {} },
  {
    title: "A rule is read, its limit taken, and the orders queried",
    question: "Check which orders are affected by the shipping delay policy",
    options: {},
  },
];

/** Walks through the stops; the first that does not end well ends the tour with its exit code. */
export async function tour(
  contextFor: (options: DemoOptions) => AskContext,
  options: DemoOptions,
  json: boolean,
): Promise<number> {
  for (const [index, stop] of (options.protocolGiven ? oneProtocol : stops).entries()) {
    const own: DemoOptions = { ...options, mode: "loop", ...stop.options };
    // Without a question each stop takes the next slip.
    if (options.protocolGiven && options.messy === true) own.messy = slipNameAt(own.protocol, index);
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

function slipNameAt(protocol: DemoOptions["protocol"], index: number): string {
  const slips = slipsOf[protocol];
  return slips[index % slips.length]?.id ?? "";
}
