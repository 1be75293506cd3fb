import { type Conversation, nameOfValue } from "../conversation.ts";
import { plannedTask, type Task, type Unread } from "../task.ts";
import { markdownTable, numeral, plainText } from "../text.ts";

const words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const english =
  /^(?:what|which value) (?:did (?:i|you|we) (?:compute|calculate)|was (?:computed|calculated|the (?:result|value))) (\w+) questions? ago\W*$/i;
const chinese =
  /^([\d一二两三四五六七八九十]+)个问题(?:之|以)?前(?:我|我们)?(?:算|计算)(?:出来?)?的?(?:结果|值)?(?:是)?(?:什么|多少)?\W*$/;

/** `What did I compute three questions ago?`: a program of the same session still has the value. */
export function readRecall({ question, keepsValues, earlier, say }: Conversation): Task | Unread | undefined {
  const [, count = ""] = english.exec(question) ?? chinese.exec(question) ?? [];
  if (count === "") return undefined;
  const ago = words.indexOf(count.toLowerCase()) + 1 || numeral(count) || 0;
  if (!keepsValues)
    return {
      unread: [],
      message: say`Programs don't share their variables here: begin a session with --session NAME. ‖ 这里的程序不共享变量：请用 --session 名称 开始一个会话。`,
    };
  const asked = earlier.at(-ago);
  if (ago < 1 || asked === undefined)
    return {
      unread: [],
      message: say`Only ${many(earlier.length)} asked before this one. ‖ 在这之前只有 ${earlier.length} 个问题。`,
    };
  if (!asked.hasValue)
    return {
      unread: [],
      message: say`Nothing was computed for “${asked.question}”. ‖ “${asked.question}”没有计算任何值。`,
    };
  const name = nameOfValue(earlier.length - ago + 1);
  return plannedTask<unknown>({
    kind: "recall",
    steps: [],
    result: { python: name, javascript: name, value: 0 },
    answer: (value) =>
      say`You asked “${asked.question}”. The value was: ‖ 当时的问题是“${asked.question}”，值为：` + shown(value),
  });
}

const many = (count: number): string => (count === 1 ? "one question was" : `${count} questions were`);

function shown(value: unknown): string {
  const { rows: own } = (value ?? {}) as { rows?: unknown };
  const rows = [own, value].find((list) => Array.isArray(list)) as Record<string, unknown>[] | undefined;
  const isTable = rows?.length && rows.every((row) => typeof row === "object" && row !== null);
  if (!isTable) return ` ${plainText(value)}`;
  const headers = Object.keys(rows[0] ?? {});
  return `\n\n${markdownTable(
    headers,
    rows.map((row) => headers.map((header) => row[header])),
  )}`;
}
