import { readTokens, type Token, writtenAs } from "../../reading/tokens.ts";
import { plannedTask, type Task, type Unread } from "../../task.ts";
import { escapeRegExp, type Say } from "../../text.ts";
import { listDocuments, readAsk } from "../documents.ts";
import { type Found, notes, recordAnswer, reportAnswer, rowsAnswer } from "./answers.ts";
import { type Frame, readFrame } from "./frame.ts";
import { namesSql, recordSql, reportSql, rowsSql, spanSql } from "./sql.ts";

/** A list has as many rows as this, unless another number or all are asked for. */
const defaultRows = 20;
const mostRows = 200;

/** A question about the tables all of whose words are known. */
export function readData(question: string, say: Say, now: Date): Task | undefined {
  const found = dataTask(question, readTokens(question, now), say, now);
  return "unread" in found ? undefined : found;
}

const permission = /^(?:can|may|must|should|will|could)\b|能不能|可不可以|(?:可以|^[^有]*)吗[？?。]?$/iu;

function dataTask(question: string, tokens: readonly Token[], say: Say, now: Date): Task | Unread {
  const words = tokens.filter(({ kind }) => kind !== "filler");
  const documents = words.filter(({ value }) => value === "documents");
  const rest = words.filter((word) => !documents.includes(word) && !/^(?:list|which|count)$/.test(word.kind));
  if (documents.length === 1 && rest.length === 0) return listDocuments(say);
  const frame = readFrame(question, tokens, now);
  if ("unread" in frame) return frame;
  // "Can orders be returned?" asks for a rule, not for a list.
  const isList = frame.measures.length === 0 && frame.id === undefined;
  const asked = words.some(({ kind }) => kind === "list" || kind === "which");
  return (isList && permission.test(question) && !asked) || words.length === 0
    ? { unread: [question] }
    : frameTask(frame, question, say);
}

/** Queries side by side; the task is answered from their rows. */
function queryTask<Value>(sql: Record<string, string>, task: Omit<Task<Value>, "tools" | "code" | "calls">): Task {
  const steps = Object.entries(sql).map(([name, text]) => {
    return { name, tool: "query_sql", input: { sql: text, limit: mostRows }, take: "rows" };
  });
  return plannedTask<Value>({ ...task, steps: [steps], result: Object.keys(sql) });
}

/** The task of a frame that was understood whole. */
function frameTask(frame: Frame, question: string, say: Say): Task | Unread {
  const { subject, rank, measures, id } = frame;
  if (id !== undefined)
    return queryTask<Found>(
      { rows: recordSql(frame, id, say) },
      { kind: "show", answer: (found) => recordAnswer(frame, found, say) },
    );
  const list = measures.length === 0;
  const limit = /\ball\b|所有|全部/iu.test(question) ? mostRows : Math.min(frame.limit ?? defaultRows, mostRows);
  const sql = list ? rowsSql(frame, limit, say) : reportSql(frame, say);
  if (sql === undefined) return { unread: [question] };
  const report = measures.some((name) => /^(?:median|stdev)/.test(name)) ? "statistics" : rank ? "top" : "report";
  return queryTask<Found>(
    { rows: sql, ...(frame.periods.flat().some(([, part]) => !part.startsWith("-")) && { span: spanSql(frame) }) },
    {
      kind: list ? (subject === "tickets" ? "tickets" : "list") : report,
      answer: (found) =>
        [(list ? rowsAnswer : reportAnswer)(frame, found, say), ...notes(frame, found, say)].join("\n\n"),
    },
  );
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
  const unread = dataTask(question, tokens, say, now) as Unread;
  if (unknown.length === 0 || kinds.includes("not")) return numeric ? unread : undefined;
  const words = writtenAs(question, tokens, unknown);
  return queryTask<{ rows: Name[] }>(
    { rows: namesSql(question) },
    {
      kind: "names",
      answer: () => ({ unread: words }),
      next({ rows }) {
        const longestFirst = [...rows].sort((a, b) => b.value.length - a.value.length);
        let named: readonly Token[] = tokens;
        for (const name of longestFirst) named = withName(question, named, name);
        const found = dataTask(question, named, say, now);
        return "unread" in found && !numeric && named === tokens ? (readAsk(question, say) ?? found) : found;
      },
    },
  );
}

/** The tokens with a name in the place of what it stands for, as whole words and in the plural too. */
function withName(question: string, tokens: readonly Token[], { kind, value, id }: Name): readonly Token[] {
  const pattern = escapeRegExp(value).replaceAll(/\s+/g, "\\s+");
  const whole = /^[\p{Script=Latin}\p{N}]/u.test(value)
    ? `(?<![\\p{Script=Latin}\\p{N}])${pattern}(?:s|es)?(?![\\p{Script=Latin}\\p{N}])`
    : pattern;
  const match = new RegExp(whole, "iu").exec(question);
  if (match === null) return tokens;
  const [start, end] = [match.index, match.index + match[0].length];
  const inside = tokens.filter((token) => token.start < end && token.end > start);
  // What has a meaning without the name keeps it, and no name takes part of a word.
  if (!inside.some((token) => token.kind === "unknown")) return tokens;
  const token: Token = { kind, value, text: match[0], start, end, ...(id !== null && { id }) };
  return tokens.flatMap((one) => (one === inside[0] ? [token] : inside.includes(one) ? [] : [one]));
}
