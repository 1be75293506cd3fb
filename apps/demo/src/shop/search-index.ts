import MiniSearch from "minisearch";
import type { DemoDocument } from "../data/documents.ts";

/** One document that fits a query. */
export interface SearchHit {
  document_id: string;
  title: string;
  language: string;
  /** Higher fits better; comparable only within one search. */
  score: number;
  /** The text that matches best, on one line. */
  snippet: string;
}

const snippetLength = 160;
// Words that occur in every question and say nothing about a document.
const stopWords = new Set(
  (
    "a an and are about any at be by can do does documents document docs find for from get give has have how i in is it look me my of on or our please " +
    "search show tell that the there their this to us was we what when which who will with you " +
    "的 了 在 是 有 和 与 或 吗 呢 我 我们 你 您 请 关于 什么 怎么 怎样 如何 哪些 多少 一下 查 查找 搜索 找 文档 文件 里 中 对 把 给 被 也 都 就"
  ).split(" "),
);

/**
 * The words of a text in any language, lower case, without stop words: `Intl.Segmenter` cuts Chinese, where no spaces do.
 */
function words(text: string): string[] {
  const found: string[] = [];
  for (const { segment, isWordLike } of new Intl.Segmenter("zh", { granularity: "word" }).segment(text.toLowerCase())) {
    if (isWordLike && !stopWords.has(segment)) found.push(stem(segment));
  }
  return found;
}

/** Takes off the plural of English words, so that `refunds` finds `refund`. */
function stem(word: string): string {
  return /^[a-z]{4,}s$/.test(word) && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

/** Full-text search over documents, in memory. */
export class SearchIndex {
  readonly #index: MiniSearch<DemoDocument>;
  readonly #documents: Map<string, DemoDocument>;

  constructor(documents: readonly DemoDocument[]) {
    this.#documents = new Map(documents.map((document) => [document.id, document]));
    this.#index = new MiniSearch<DemoDocument>({
      fields: ["title", "text"],
      idField: "id",
      tokenize: words,
      processTerm: (term) => term,
      searchOptions: {
        boost: { title: 4 },
        prefix: (term) => term.length > 3,
        fuzzy: (term) => (/^[a-z]{6,}$/.test(term) ? 0.2 : false),
      },
    });
    this.#index.addAll([...this.#documents.values()]);
  }

  /** The best `topK` documents, best first; empty when no word of the query occurs anywhere. `*` gives all in their order. */
  search(query: string, topK: number): SearchHit[] {
    if (query.trim() === "*") {
      return [...this.#documents.values()].slice(0, topK).map(({ id, title, language, text }) => {
        return { document_id: id, title, language, score: 0, snippet: bestLine(text, new Set()) };
      });
    }
    const wanted = new Set(words(query));
    return this.#index
      .search(query)
      .slice(0, topK)
      .map((hit) => {
        const document = this.#documents.get(String(hit.id)) as DemoDocument;
        return {
          document_id: document.id,
          title: document.title,
          language: document.language,
          score: Math.round(hit.score * 100) / 100,
          snippet: bestLine(document.text, new Set([...wanted, ...hit.terms])),
        };
      });
  }
}

/** The line that fits best; a word counts the more, the rarer it is in the document. Of equals the first. */
function bestLine(text: string, wanted: ReadonlySet<string>): string {
  const counts = new Map<string, number>();
  for (const word of words(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  let best = "";
  let most = -1;
  for (const line of text.split("\n")) {
    const plain = line.replace(/^\s*(?:[-*]|\d+\.|#+)\s*/, "").trim();
    if (plain === "" || line.startsWith("#")) continue;
    const found = [...new Set(words(plain))].filter((word) => wanted.has(word));
    const weight = found.reduce((sum, word) => sum + 1 / (counts.get(word) ?? 1), 0);
    if (weight > most) [best, most] = [plain, weight];
  }
  return best.length > snippetLength ? `${best.slice(0, snippetLength - 1)}…` : best;
}
