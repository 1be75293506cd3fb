import type { Locale } from "@toolglot/core";
import { slipsOf } from "../planner/slips.ts";
import { type AskContext, ask } from "./ask.ts";
import { exitCodeOf } from "./exit-codes.ts";
import type { DemoOptions } from "./options.ts";
import { startTourServer, type TourServer, tourTokenName } from "./tour-server.ts";
import { wordsFor } from "./words.ts";

interface Stop {
  title: Readonly<Record<Locale, string>>;
  /** By default and with `--lang en`, a stop "in Chinese" has a Chinese one, too. */
  question: Readonly<Record<Locale, string>>;
  options: Partial<DemoOptions>;
  /** The question names a server, `{url}`, that wants a token. */
  server?: true;
}

const shown = { en: "show order 1042", zh: "显示订单 1042" };
const compared = { en: "Compare the return policy and the warranty terms", zh: "比较退货政策和保修条款" };
const checked = {
  en: "Check which orders are affected by the shipping delay policy",
  zh: "按发货延误政策检查哪些订单受影响",
};

/** Both languages, all protocols, and slips that are repaired. */
const stops: readonly Stop[] = [
  {
    title: {
      en: "One program reads a rule, takes the limit from its text, and queries the orders",
      zh: "一段程序读取规则、从正文取得期限，再查询订单",
    },
    question: checked,
    options: { protocol: "attp", messy: undefined },
  },
  {
    title: {
      en: "In Chinese, and the planner forgets the table's header on purpose: the parser repairs it",
      zh: "规划器故意漏写表头：解析器会修复",
    },
    question: { en: "销售额最高的 5 种商品是什么？", zh: "销售额最高的 5 种商品是什么？" },
    options: { protocol: "attp", messy: "missing-header" },
  },
  {
    title: {
      en: "A program in JavaScript whose first call is made as in Python: the error says how, and it is corrected",
      zh: "JavaScript 程序，第一次调用写成了 Python 的样子：错误信息说明写法，随后改正",
    },
    question: {
      en: "mean, median and standard deviation of the order totals in September",
      zh: "九月订单金额的平均值、中位数和标准差",
    },
    options: { protocol: "attp-js", messy: "positional" },
  },
  {
    title: {
      en: "A plan of two steps between delimiters, one set of them mistyped",
      zh: "分隔符之间的两步计划，其中一组分隔符写错了",
    },
    question: compared,
    options: { protocol: "tam", messy: "mixed-delimiters" },
  },
  {
    title: { en: "An XML block whose query is not escaped", zh: "XML 块，其中的查询没有转义" },
    question: { en: "按月份列出订单数量", zh: "按月份列出订单数量" },
    options: { protocol: "toolsxml", messy: "unescaped" },
  },
  {
    title: {
      en: "The same protocol at work in a project: its tests are run, a bug is found, and an edit that misses is made again",
      zh: "同一协议在项目里工作：运行测试、找到缺陷，改正一次没有命中的编辑",
    },
    question: { en: "Fix the failing test in the project", zh: "修复项目里失败的测试" },
    options: { protocol: "toolsxml", messy: "outdated-find" },
  },
  {
    title: { en: "The same tools as native function calls, two at a time", zh: "同样的工具用原生函数调用，每次两个" },
    question: compared,
    options: { protocol: "native", messy: undefined },
  },
  {
    title: {
      en: "One tool, a router that keeps catalog, policy, keys and audit; the planner mixes up a number",
      zh: "只有一个工具：管理目录、策略、幂等键和审计的路由器；规划器写错了一个编号",
    },
    question: shown,
    options: { protocol: "trp", messy: "wrong-number" },
  },
];

/** Calls that depend on each other. */
const chained: Stop = {
  title: { en: "A rule is read, its limit taken, and the orders queried", zh: "读取规则、取得期限，再查询订单" },
  question: checked,
  options: {},
};

/** The tour of one protocol: a request with one call, one with calls side by side, and one whose calls depend on each other. */
const oneProtocol: readonly Stop[] = [
  { title: { en: "One call", zh: "一次调用" }, question: shown, options: {} },
  {
    title: { en: "Two at a time, then two more", zh: "先并行两个，再并行两个" },
    question: compared,
    options: {},
  },
  {
    title: { en: "In Chinese", zh: "搜索并总结一篇文档" },
    question: { en: "总结一下退货政策", zh: "总结一下退货政策" },
    options: {},
  },
  chained,
];

/** The tour of ToolsXML: the shop's tools as tags, and the built-in tags at work in a small project. */
const toolsxmlTour: readonly Stop[] = [
  {
    title: { en: "One call of a declared tool", zh: "调用一个声明过的工具" },
    question: shown,
    options: {},
  },
  {
    title: { en: "Reads: a file and the project's folders, side by side", zh: "并行读取一个文件和项目的目录" },
    question: { en: "What is in the project?", zh: "项目里有什么？" },
    options: {},
  },
  {
    title: {
      en: "In Chinese: run the tests, read, search, edit. The first edit misses, and is made again after the error",
      zh: "运行测试、读取、搜索、编辑。第一次编辑没有命中，收到错误后重新编辑",
    },
    question: { en: "修复项目里失败的测试", zh: "修复项目里失败的测试" },
    options: { messy: "outdated-find" },
  },
  {
    title: { en: "One edit of several files, all or nothing", zh: "一次编辑多个文件，要么全部成功，要么都不改" },
    question: {
      en: "Rename formatDuration to durationText everywhere",
      zh: "把 formatDuration 全部改名为 durationText",
    },
    options: {},
  },
  {
    title: { en: "A script that asks a question, answered with <input>", zh: "脚本提出问题，用 <input> 回答" },
    question: { en: "Release the project", zh: "发布项目" },
    options: {},
  },
  {
    title: {
      en: "A command uses a value that the model never sees: you are asked for it, and ‹NAME› stands in the output",
      zh: "命令使用模型看不到的值：由你输入，输出里只显示 ‹名称›",
    },
    question: {
      en: `Call {url} with the token ${tourTokenName}`,
      zh: `请求 {url}，令牌是 ${tourTokenName}`,
    },
    options: {},
    server: true,
  },
  chained,
];

/** Walks through the stops; the first that does not end well ends the tour with its exit code. */
export async function tour(
  contextFor: (options: DemoOptions) => AskContext,
  options: DemoOptions,
  json: boolean,
): Promise<number> {
  const planned = stopsOf(options);
  // Its stops are questions of their own, and no part of a kept conversation.
  const { session: _, ...rest } = options;
  const project = planned.some((stop) => (stop.options.protocol ?? options.protocol) === "toolsxml");
  if (project && !json) await sayWhatWasDone(contextFor(options));
  for (const [index, stop] of planned.entries()) {
    const own: DemoOptions = { ...rest, mode: "loop", ...stop.options };
    // Without a question each stop takes the next slip.
    if (options.protocolGiven && options.messy === true) own.messy = slipNameAt(own.protocol, index);
    const context = contextFor(own);
    const { style, write } = context.terminal.screen;
    const locale = options.lang ?? "en";
    const server = stop.server && (await startTourServer(await context.session.local()));
    // Where no command can be run, the stops before have said so.
    if (stop.server && server === undefined) continue;
    try {
      const question = stop.question[locale].replace("{url}", server?.url ?? "");
      if (!json) {
        const title = style.strong(`${index + 1}. ${stop.title[locale]}`);
        write(`${title}\n${style.dim(`   ${own.protocol} · ${question}`)}\n\n`);
      }
      if (server) await prepareValue(server, context);
      const code = exitCodeOf(await ask(question, context), context.declined.message !== undefined);
      if (code !== 0) return code;
    } finally {
      await server?.close();
    }
  }
  return 0;
}

/** Tells the person what the server wants; where nobody can be asked, the tour gives the value itself. */
async function prepareValue({ url, token }: TourServer, { session, options, terminal }: AskContext): Promise<void> {
  const asks = terminal.promptOutput !== undefined;
  if (!asks) await (await session.secrets()).secrets.set(tourTokenName, token);
  terminal.note(`${wordsFor(options.lang).tourServer(url, asks ? token : undefined)}\n\n`);
}

/** The project keeps what was done to it, so a second tour finds less to do. */
async function sayWhatWasDone({ session, options, terminal: { screen } }: AskContext): Promise<void> {
  if ((await (await session.local()).changes()).length === 0) return;
  screen.write(`${screen.style.dim(wordsFor(options.lang).changed)}\n\n`);
}

function stopsOf({ protocol, protocolGiven }: DemoOptions): readonly Stop[] {
  if (!protocolGiven) return stops;
  return protocol === "toolsxml" ? toolsxmlTour : oneProtocol;
}

function slipNameAt(protocol: DemoOptions["protocol"], index: number): string {
  const slips = slipsOf[protocol];
  return slips[index % slips.length]?.id ?? "";
}
