import { readFrame } from "../reading/frame.ts";
import { type KnownName, namesSql, possibleNames, withNames } from "../reading/names.ts";
import { leftOver, readTokens, type Token } from "../reading/tokens.ts";
import type { Task, Unread } from "../task.ts";
import type { Say } from "../text.ts";
import { frameTask, queryTask } from "./data.ts";
import { needsLines } from "./data-sql.ts";
import { listDocuments, readAsk } from "./documents.ts";

/** A question about the tables all of whose words are known. */
export function readData(question: string, say: Say, now: Date): Task | undefined {
  const tokens = readTokens(question, now);
  return tokens.some(isUnclear) ? undefined : dataTask(question, tokens, say);
}

/** What no frame has a place for. */
const isUnclear = ({ kind }: Token): boolean => kind === "unknown" || kind === "not";

const permission = /^(?:can|may|must|should|will|could)\b|能不能|可不可以|(?:可以|^[^有]*)吗[？?。]?$/iu;

function dataTask(question: string, tokens: readonly Token[], say: Say): Task | undefined {
  const nouns = tokens.filter(({ kind }) => kind === "noun");
  if (nouns.some(({ value }) => value === "documents")) {
    const listed = tokens.every(({ kind, used }) => used || /^(?:noun|list|which|count)$/.test(kind));
    return listed && nouns.length === 1 ? listDocuments(say) : undefined;
  }
  const frame = readFrame(tokens);
  if (frame === undefined || tokens.some(({ used }) => !used)) return undefined;
  // "Can orders be returned?" asks for a rule, not for a list.
  const isList = frame.measures.length === 0 && frame.id === undefined;
  const asked = tokens.some(({ kind }) => kind === "list" || kind === "which");
  if (isList && permission.test(question) && !asked) return undefined;
  // The mean over lines of orders is not the mean over orders.
  if (needsLines(frame) && frame.measures.some((name) => name.startsWith("mean"))) return undefined;
  return frameTask(frame, question, say);
}

/** A question about the tables with words that may be names: they are looked up before it is answered. */
export function readNamed(question: string, say: Say, now: Date): Task | Unread | undefined {
  const tokens = readTokens(question, now);
  const kinds = tokens.map(({ kind }) => kind);
  const some = (pattern: RegExp): boolean => kinds.some((kind) => pattern.test(kind));
  if (!some(/^(?:list|which|count|howmuch|aggregate|by|sup|recency|noun|field|compare)$/) || some(/^duration$/))
    return undefined;
  const first = kinds.find((kind) => kind !== "filler");
  // "Revenue by country" asks for numbers, whatever else it says.
  const numbers = first === "list" || (first === "field" && kinds.includes("by"));
  const counting = numbers || some(/^(?:count|howmuch|aggregate|sup|recency|compare)$/);
  const words = possibleNames(tokens);
  if (words.length === 0 || kinds.includes("not"))
    return counting ? { unread: leftAfter(question, tokens) } : undefined;
  return queryTask<{ rows: KnownName[] }>(
    { rows: namesSql(words) },
    {
      kind: "names",
      about: say`something that may be a name in the data: ${say.list(words)} ‖ 可能是名字的词：${say.list(words)}`,
      answer: () => ({ unread: words }),
      next({ rows }) {
        const { tokens: named, doubtful } = withNames(question, tokens, rows);
        const found = dataTask(question, copy(named), say);
        if (found) return found;
        const people = doubtful.join(say`;  ‖ ；`);
        const message = say`Several people fit: ${people}. Please write the whole name. ‖ 有几个人符合：${people}。请写全名。`;
        if (doubtful.length > 0) return { unread: doubtful, message };
        const resolved = named.some(({ ids, kind }, index) => ids !== undefined || kind !== tokens[index]?.kind);
        return (counting || resolved ? undefined : readAsk(question, say)) ?? { unread: leftAfter(question, named) };
      },
    },
  );
}

const copy = (tokens: readonly Token[]): Token[] => tokens.map((token) => ({ ...token }));

/** What is left when the tables' own reading has taken what it can; unknown words alone where it could take nothing. */
function leftAfter(question: string, tokens: readonly Token[]): string[] {
  const left = copy(tokens);
  if (readFrame(left) === undefined && left.some(isUnclear)) for (const token of left) token.used ||= !isUnclear(token);
  return leftOver(question, left);
}
