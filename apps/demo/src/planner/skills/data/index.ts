import { readWording, says } from "../../reading/requests.ts";
import { readTokens, type Token } from "../../reading/tokens.ts";
import { callTask, type Planned, plannedTask, type Task, type Unread } from "../../task.ts";
import { escapeRegExp, markdownTable, type Say } from "../../text.ts";
import { readAsk } from "../documents.ts";
import { type Found, notes, recordAnswer, reportAnswer, rowsAnswer } from "./answers.ts";
import { readFrame } from "./frame.ts";
import { namesSql, recordSql, reportSql, rowsSql, spanSql } from "./sql.ts";

/** A list has as many rows as this, unless another number or all are asked for. */
const defaultRows = 20;
const maxRows = 200;

/** A query that the user typed is run as it stands. */
export function readSql(question: string, say: Say): Task | undefined {
  const sql = readWording("sql", question)?.sql?.trim();
  // "Select the best customers" is no query.
  if (sql === undefined || says("selectInEnglish", sql)) return undefined;
  type Found = { rows: Record<string, unknown>[]; truncated: boolean };
  return callTask<Found>(["sql", "query_sql"], { sql }, ({ rows, truncated }) => {
    if (rows[0] === undefined) return say`The query gave no rows. ‖ 查询没有返回任何行。`;
    const count = say`${rows.length} ${rows.length === 1 ? "row" : "rows"}: ‖ ${rows.length} 行：`;
    const more = truncated ? say`\n\nThere are more rows. ‖ \n\n还有更多的行。` : "";
    return `${count}\n\n${markdownTable(Object.keys(rows[0]), rows.map(Object.values))}${more}`;
  });
}

export function readData(question: string, say: Say, now: Date): Task | undefined {
  const found = dataTask(question, readTokens(question, now), say, now);
  return "unread" in found ? undefined : found;
}

function dataTask(question: string, tokens: readonly Token[], say: Say, now: Date): Task | Unread {
  const frame = readFrame(question, tokens, now);
  if ("unread" in frame) return frame;
  const { subject, rank, measures, id, periods } = frame;
  const isList = measures.length === 0;
  // "Can orders be returned?" asks for a rule, not for a list.
  const asked = !isList || id || tokens.some(({ kind }) => /^(?:list|which)$/.test(kind));
  if (says("permissionOnData", question) && !asked) return { unread: [question] };
  const limit = says("everything", question) ? maxRows : Math.min(frame.limit ?? defaultRows, maxRows);
  const [rows, answer, kind] = id
    ? [recordSql(frame, say), recordAnswer, "show"]
    : isList
      ? [rowsSql(frame, limit, say), rowsAnswer, subject === "tickets" ? "tickets" : "list"]
      : [reportSql(frame, say), reportAnswer, rank ? "top" : "report"];
  if (!rows) return { unread: [question] };
  const span = periods.flat().some(([, part]) => !part.startsWith("-")) && { span: spanSql(frame) };
  return queryTask<Found>(
    { rows, ...span },
    {
      kind: measures.some((name) => /^(?:median|stdev)/.test(name)) ? "statistics" : kind,
      answer: (found) => [answer(frame, found, say), ...notes(frame, found, say)].join("\n\n"),
    },
  );
}

/** Queries side by side; the task is answered from their rows. */
function queryTask<Value>(sql: Record<string, string>, task: Planned<Value>): Task {
  const steps = Object.entries(sql).map(([name, text]) => {
    return { name, tool: "query_sql", input: { sql: text, limit: maxRows }, take: "rows" };
  });
  return plannedTask<Value>({ ...task, steps: [steps], result: Object.keys(sql) });
}

type Name = { kind: string; id: number | null; value: string };

const tableKinds = /^(?:list|which|count|howmuch|aggregate|by|sup|recency|noun|field|compare)$/;
const numberKinds = /^(?:count|howmuch|aggregate|sup|recency|compare)$/;

/** A question about the tables with words that may be names: they are looked up in the data before it is answered. */
export function readNamed(question: string, say: Say, now: Date): Task | Unread | undefined {
  const tokens = readTokens(question, now);
  const kinds = tokens.map(({ kind }) => kind);
  const some = (pattern: RegExp): boolean => kinds.some((kind) => pattern.test(kind));
  if (!some(tableKinds) || kinds.includes("duration")) return undefined;
  const first = kinds.find((kind) => kind !== "filler");
  // "Revenue by …" asks for numbers, whatever else it says.
  const numeric = some(numberKinds) || first === "list" || (first === "field" && kinds.includes("by"));
  const unknown = tokens.filter(({ kind, text }) => kind === "unknown" && /[\p{L}\p{N}]/u.test(text));
  if (unknown.length === 0 || kinds.includes("not")) return numeric ? dataTask(question, tokens, say, now) : undefined;
  return queryTask<{ rows: Name[] }>(
    { rows: namesSql(question) },
    {
      kind: "names",
      looksUp: true,
      answer({ rows }) {
        const maxFirstLength = [...rows].sort((a, b) => b.value.length - a.value.length);
        const named = maxFirstLength.reduce<readonly Token[]>((all, name) => withName(question, all, name), tokens);
        const found = dataTask(question, named, say, now);
        return "unread" in found && !numeric && named === tokens ? (readAsk(question, say) ?? found) : found;
      },
    },
  );
}

/** The tokens with a name in the place of what it stands for, as whole words and in the plural too. */
function withName(question: string, tokens: readonly Token[], { kind, value, id }: Name): readonly Token[] {
  const pattern = escapeRegExp(value).replaceAll(/\s+/g, "\\s+");
  const letter = "[\\p{Script=Latin}\\p{N}]";
  const whole = new RegExp(`^${letter}`, "u").test(value) ? `(?<!${letter})${pattern}(?:e?s)?(?!${letter})` : pattern;
  const match = new RegExp(whole, "iu").exec(question);
  if (match === null) return tokens;
  const [start, end] = [match.index, match.index + match[0].length];
  const inside = tokens.filter((token) => token.start < end && token.end > start);
  // What has a meaning without the name keeps it, and no name takes part of a word.
  if (!inside.some((token) => token.kind === "unknown")) return tokens;
  const token: Token = { kind, value, text: match[0], start, end, ...(id !== null && { id }) };
  return tokens.flatMap((one) => (one === inside[0] ? [token] : inside.includes(one) ? [] : [one]));
}
