import type { Locale } from "@toolglot/core";
import { readFrame } from "../reading/frame.ts";
import { type KnownName, namesSql, possibleNames, withNames } from "../reading/names.ts";
import { leftOver, readTokens, type Token } from "../reading/tokens.ts";
import { furtherStep, type Unread } from "../reading/unread.ts";
import { type Skill, type Task, task } from "../task.ts";
import { readArithmetic } from "./arithmetic.ts";
import { readChain } from "./chain.ts";
import { type Found, frameTask, needsLines, queries } from "./data.ts";
import { listDocuments, readAsk, readDocuments } from "./documents.ts";
import { readDelete, readExport, readNotify, readTicket } from "./effects.ts";
import { readFix } from "./project/fix.ts";
import { readOverview, readProjectSearch, readProjectTest } from "./project/look.ts";
import { readRelease } from "./project/release.ts";
import { readRename } from "./project/rename.ts";
import { readSql } from "./sql.ts";

const toolsxml = { en: " (only with --protocol toolsxml)", zh: "（仅限 --protocol toolsxml）" };

/** The kinds of requests the planner knows. */
export const skills: readonly Skill[] = (
  [
    ["report", "count and sum", "统计", "How many orders are there by status?", "每个月的销售额是多少？"],
    ["top", "rank the largest or smallest", "排名", "top 5 products by revenue", "销量最高的 3 种商品"],
    ["list", "list rows of a table", "列出表中的记录", "the last five orders of Marta Rossi", "列出德国的客户"],
    [
      "statistics",
      "statistics over query results",
      "对查询结果做统计",
      "mean, median and standard deviation of the order totals in September",
      "九月订单金额的平均值、中位数和标准差",
    ],
    ["show", "show one record", "查看一条记录", "show order 1042", "查看订单 1024"],
    ["tickets", "list the tickets", "列出工单", "list the open tickets", "列出未关闭的工单"],
    [
      "sql",
      "run a query that you type",
      "执行你写的查询",
      "SELECT city, COUNT(*) AS customers FROM customers GROUP BY city",
      "执行 SELECT name, stock FROM products WHERE stock < 12",
    ],
    ["documents", "list the documents", "列出文档", "which documents are there?", "有哪些文档？"],
    ["search", "search the documents", "搜索文档", "search the documents for vouchers", "搜索关于代金券的文档"],
    ["ask", "look up a rule", "查规定", "How long is the warranty on tents?", "金卡会员多少天内可以退货？"],
    ["read", "read a document", "读文档", "read the refund policy", "打开退款政策"],
    [
      "summarise",
      "fetch a document and summarise it",
      "读取文档并总结",
      "summarise the refund policy",
      "总结一下退货政策",
    ],
    [
      "compare",
      "compare two documents",
      "比较两篇文档",
      "compare the return policy and the warranty terms",
      "比较退货政策和保修条款",
    ],
    [
      "chain",
      "read a rule, check the data against it, open a ticket",
      "查规定、核对数据、建工单",
      "Find the shipping delay policy, check which orders are affected and open a ticket",
      "查发货延误处理办法，找出受影响的订单，并建一张工单",
    ],
    [
      "ticket",
      "create a ticket (asks you first)",
      "建工单（会先征求同意）",
      "open a high priority ticket: Lantern overheats; serial F4-10233, send a new battery",
      "建一张高优先级工单：营灯发热；序列号 F4-10233，请寄新电池",
    ],
    [
      "delete",
      "delete a record (asks you first)",
      "删除记录（会先征求同意）",
      "delete ticket 1 because it is done",
      "删除工单 1，因为已经处理完",
    ],
    ["export", "export a table in the background", "在后台导出表格", "export the orders as CSV", "导出客户表"],
    [
      "notify",
      "send a message to everybody (only with --protocol trp; asks you first)",
      "群发通知（仅限 --protocol trp，会先征求同意）",
      "announce to the warehouse: stop shipping lantern F4",
      "通知仓库：停止发出 F4 营灯",
    ],
    [
      "arithmetic",
      "calculate, without tools",
      "计算（不用工具）",
      "what is 17.5% of 2480 + sqrt(144)?",
      "计算 (1299 + 459) * 0.85",
    ],
    [
      "project-fix",
      `find and fix why a test of the project fails${toolsxml.en}`,
      `找出并修复项目里失败的测试${toolsxml.zh}`,
      "fix the failing test in the project",
      "修复项目里失败的测试",
    ],
    [
      "project-rename",
      `rename something in all files of the project${toolsxml.en}`,
      `在项目的所有文件中改名${toolsxml.zh}`,
      "rename formatDuration to durationText everywhere",
      "把 formatDistance 全部改名为 distanceText",
    ],
    [
      "project-release",
      `release the project, and answer what its script asks${toolsxml.en}`,
      `发布项目，并回答脚本的提问${toolsxml.zh}`,
      "release the project",
      "发布项目",
    ],
    [
      "project-search",
      `search the project's files${toolsxml.en}`,
      `搜索项目里的文件${toolsxml.zh}`,
      "search the project for Math.round",
      "在项目里搜索 Math.round",
    ],
    [
      "project-test",
      `run the project's tests${toolsxml.en}`,
      `运行项目的测试${toolsxml.zh}`,
      "run the project's tests",
      "运行项目的测试",
    ],
    [
      "project-overview",
      `say what is in the project${toolsxml.en}`,
      `介绍项目里有什么${toolsxml.zh}`,
      "what is in the project?",
      "项目里有什么？",
    ],
  ] as const
).map(([id, en, zh, example, exampleZh]) => ({ id, title: { en, zh }, example: { en: example, zh: exampleZh } }));

type Reader = (question: string, language: Locale, now: Date) => Task | Unread | undefined;

/** In this order: the first that takes a request in whole is taken; where none does, the first that claimed it says what it could not read. */
const readers: readonly Reader[] = [
  readSql,
  readTicket,
  readNotify,
  readDelete,
  readExport,
  readFix,
  readRename,
  readRelease,
  readProjectSearch,
  readProjectTest,
  readOverview,
  readChain,
  severalSteps,
  readData,
  readDocuments,
  readArithmetic,
  readNamed,
  readAsk,
];

/** A request of more characters is none that these rules understand. */
const maxLength = 2000;

/** What a request asks for; of one that is not understood whole, what was left over. */
export function readTask(question: string, language: Locale, now: Date = new Date()): Task | Unread {
  let claimed: Unread | undefined;
  // Only what is copied as it stands may be long.
  const allowed = question.length > maxLength ? [readSql, readTicket, readNotify] : readers;
  for (const read of allowed) {
    const found = read(question, language, now);
    if (found === undefined) continue;
    if (!("unread" in found)) return found;
    // Another step that can't be done: nothing of the request is.
    if (read !== readArithmetic) return found;
    claimed ??= found;
  }
  if (question.length > maxLength) return { unread: [question] };
  return claimed ?? { unread: leftOver(question, readTokens(question, now)) };
}

function severalSteps(question: string): Unread | undefined {
  const more = furtherStep(question);
  return more === undefined ? undefined : { unread: [more] };
}

/** A question about the tables all of whose words are known. */
function readData(question: string, language: Locale, now: Date): Task | undefined {
  const tokens = readTokens(question, now);
  if (tokens.some(({ kind }) => kind === "unknown" || kind === "not")) return undefined;
  return dataTask(question, tokens, language);
}

const permission = /^(?:can|may|must|should|will|could)\b|能不能|可不可以|(?:可以|^[^有]*)吗[？?。]?$/iu;

function dataTask(question: string, tokens: Token[], language: Locale): Task | undefined {
  if (tokens.some(({ kind, value }) => kind === "noun" && value === "documents")) {
    for (const token of tokens) if (/^(?:noun|list|which|count)$/.test(token.kind)) token.used = true;
    return tokens.every(({ used }) => used) && tokens.filter(({ kind }) => kind === "noun").length === 1
      ? listDocuments(language)
      : undefined;
  }
  const frame = readFrame(tokens);
  if (frame === undefined || tokens.some(({ used }) => !used)) return undefined;
  // "Can orders be returned?" asks for a rule, not for a list.
  if (
    frame.act === "rows" &&
    permission.test(question) &&
    !tokens.some(({ kind }) => kind === "list" || kind === "which")
  )
    return undefined;
  // The mean over lines of orders is not the mean over orders.
  if (needsLines(frame) && (frame.act === "statistics" || frame.measures.some((name) => name.startsWith("mean"))))
    return undefined;
  return frameTask(frame, question, language);
}

/** A question about the tables with words that may be names: they are looked up before it is answered. */
function readNamed(question: string, language: Locale, now: Date): Task | Unread | undefined {
  const tokens = readTokens(question, now);
  const words = possibleNames(tokens);
  const asks = tokens.some(({ kind }) =>
    /^(?:list|which|count|howmuch|aggregate|by|sup|recency|noun|field|compare)$/.test(kind),
  );
  if (!asks || tokens.some(({ kind }) => kind === "duration")) return undefined;
  const first = tokens.find(({ kind }) => kind !== "filler")?.kind;
  const counting =
    tokens.some(({ kind }) => /^(?:count|howmuch|aggregate|sup|recency|compare)$/.test(kind)) ||
    first === "list" ||
    // "Revenue by country" asks for numbers, whatever else it says.
    (first === "field" && tokens.some(({ kind }) => kind === "by"));
  if (words.length === 0 || tokens.some(({ kind }) => kind === "not"))
    return counting ? { unread: leftAfter(question, tokens) } : undefined;
  const zh = language === "zh";
  const list = words.join(zh ? "、" : ", ");
  return task<Found<KnownName>>({
    kind: "names",
    tools: ["query_sql"],
    understanding: zh
      ? `用户的问题里有可能是名字的词：${list}。`
      : `The user names something that may be in the data: ${list}.`,
    plan: zh ? "先查这些名字是谁或什么，再回答。" : "Look up who or what that is; then answer.",
    target: zh ? `查找名字：${list}` : `Look up names: ${list}`,
    ...queries<KnownName>({ rows: namesSql(words) }),
    answer: () => ({ unread: words }),
    next({ rows }) {
      const named = withNames(question, tokens, rows);
      const copy = named.tokens.map((token) => ({ ...token }));
      const found = dataTask(question, copy, language);
      if (found) return found;
      const { doubtful } = named;
      if (doubtful.length > 0)
        return {
          unread: doubtful,
          message: zh
            ? `有几个人符合：${doubtful.join("；")}。请写全名。`
            : `Several people fit: ${doubtful.join("; ")}. Please write the whole name.`,
        };
      const left = leftAfter(question, named.tokens);
      const resolved = named.tokens.some(({ ids, kind }, index) => ids !== undefined || kind !== tokens[index]?.kind);
      return (counting || resolved ? undefined : readAsk(question, language)) ?? { unread: left };
    },
  });
}

/** What is left when the tables' own reading has taken what it can; unknown words alone where it could take nothing. */
function leftAfter(question: string, tokens: readonly Token[]): string[] {
  const copy = tokens.map((token) => ({ ...token }));
  const unknown = copy.some(({ kind }) => kind === "unknown" || kind === "not");
  if (readFrame(copy) === undefined && unknown)
    for (const token of copy) if (token.kind !== "unknown" && token.kind !== "not") token.used = true;
  return leftOver(question, copy);
}
