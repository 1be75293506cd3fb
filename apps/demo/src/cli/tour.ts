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
    title: "A program in JavaScript whose first call is made as in Python: the error says how, and it is corrected",
    question: "mean, median and standard deviation of the order totals in September",
    options: { protocol: "attp-js", messy: "positional" },
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
    title:
      "The same protocol at work in a project: its tests are run, a bug is found, and an edit that misses is corrected",
    question: "Fix the failing test in the project",
    options: { protocol: "toolsxml", messy: "outdated-find" },
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

/** The tour of ToolsXML: the shop's tools as tags, and the built-in tags at work in a small project. */
const toolsxmlTour: readonly Stop[] = [
  { title: "One call of a declared tool", question: "show order 1042", options: {} },
  { title: "Reads: a file and the project's folders, side by side", question: "What is in the project?", options: {} },
  {
    title: "In Chinese: run the tests, read, search, edit. The first edit misses, and is corrected from the error",
    question: "修复项目里失败的测试",
    options: { messy: "outdated-find" },
  },
  {
    title: "One edit of several files, all or nothing",
    question: "Rename formatDuration to durationText everywhere",
    options: {},
  },
  { title: "A script that asks a question, answered with <input>", question: "Release the project", options: {} },
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
  const planned = stopsOf(options);
  const project = planned.some((stop) => (stop.options.protocol ?? options.protocol) === "toolsxml");
  if (project && !json) await sayWhatWasDone(contextFor(options));
  for (const [index, stop] of planned.entries()) {
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

/** The project keeps what was done to it, so a second tour finds less to do. */
async function sayWhatWasDone({ session, terminal: { screen } }: AskContext): Promise<void> {
  if ((await (await session.local()).changes()).length === 0) return;
  const text = "The project has changes from before; --reset makes it anew, and undo takes the last one back.";
  screen.write(`${screen.style.dim(text)}\n\n`);
}

function stopsOf({ protocol, protocolGiven }: DemoOptions): readonly Stop[] {
  if (!protocolGiven) return stops;
  return protocol === "toolsxml" ? toolsxmlTour : oneProtocol;
}

function slipNameAt(protocol: DemoOptions["protocol"], index: number): string {
  const slips = slipsOf[protocol];
  return slips[index % slips.length]?.id ?? "";
}
