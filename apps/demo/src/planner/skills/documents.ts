import { readWording, says, sourceOf } from "../reading/requests.ts";
import { readTokens } from "../reading/tokens.ts";
import { type Answer, callTask, plannedTask, type Task } from "../task.ts";
import type { Say } from "../text.ts";
import shop from "../words/shop.json" with { type: "json" };

/** A document as `fetch_document` gives it. */
type Document = Record<"document_id" | "title" | "language" | "updated" | "text", string>;

/** Requests that name topics, in the order in which they are tried. Other things than documents are shown by other skills. */
const kinds = ["compare", "search", "summarise", "read"] as const;
/** How many documents are looked at. */
const wanted: Readonly<Record<string, number>> = { search: 8, ask: 5 };

/** Requests about the documents. What a request names must stand in what it gets, or it gets nothing. */
export function readDocuments(question: string, say: Say): Task | undefined {
  const tokens = readTokens(question);
  const words = tokens.filter(({ kind }) => !/^(?:filler|list|which|count)$/.test(kind));
  if (words.length === 1 && words[0]?.value === "documents") return listDocuments(say);
  const bare = question.replace(/[\s?？。.!！]+$/u, "");
  const kind = kinds.find((name) => says(name, bare));
  const { one = "", other = [] } = (kind && readWording(kind, bare)) ?? {};
  const topics = [one].concat(other);
  const figures = kind === "compare" && tokens.some((token) => /^(?:field|aggregate|count|period)$/.test(token.kind));
  const known = topics.every((topic) => contentWords(topic).length > 0) && !figures;
  return kind && known ? documentTask(kind, topics, question, say) : undefined;
}

/** A question that the documents may answer: no record and no table stands in them. What is quoted is what is looked for. */
export function readAsk(question: string, say: Say): Task | undefined {
  if (!says("ask", question) || says("ofData", question)) return undefined;
  const { topic } = readWording("quoted", question) ?? {};
  if (contentWords(topic ?? question).length === 0) return undefined;
  return documentTask(topic === undefined ? "ask" : "search", [topic ?? question], question, say);
}

const listDocuments = (say: Say): Task =>
  callTask<Document[]>(["documents", "search_documents"], { query: "*", top_k: 20 }, (hits) => {
    const all = say`${hits.length} documents: ‖ 共 ${hits.length} 篇文档：`;
    const head = hits.length === 20 ? say`The first 20 documents: ‖ 前 20 篇文档：` : all;
    return `${head}\n\n${hits.map(({ title, document_id: id }) => `- ${title} (${id})`).join("\n")}`;
  });

function documentTask(kind: string, topics: readonly string[], question: string, say: Say): Task {
  const names = topics.map((_, index) => `documents${index === 0 ? "" : index + 1}`);
  const searches = topics.map((topic, index) => {
    const words = contentWords(topic);
    // Chinese that stands together is searched for as it stands.
    const query = words.map(canonical).join(topic.includes(words.join("")) ? "" : " ");
    return { name: `hits_for_${names[index]}`, tool: "search_documents", input: { query, top_k: wanted[kind] ?? 1 } };
  });
  const input = { document_id: { from: "{item.document_id}" } };
  return plannedTask<Record<string, Document[]>>({
    kind,
    steps: [searches, names.map((name) => ({ name, each: `hits_for_${name}`, tool: "fetch_document", input }))],
    result: names,
    answer(values) {
      const found = Object.values(values);
      if (wanted[kind]) return quotes(found[0] ?? [], topics[0] ?? "", question, kind === "search", say);
      const texts = topics.map((topic, index) => {
        const [best] = found[index] ?? [];
        const words = contentWords(topic).filter((word) => !says("documentWord", word));
        const unread = best ? words.filter((word) => !covers(`${best.title} ${best.document_id}`, word)) : [topic];
        return best && unread.length === 0 ? summaryText(best, say, kind === "read") : noPassage(unread, say);
      });
      return texts.find((text) => typeof text === "object") ?? texts.join("\n\n");
    },
  });
}

/** Words of questions do not tell what a document is about, nor do words for documents of any kind. */
const questionWord = new RegExp(sourceOf("questionWord"), "giu");

/** The words of a text that tell what it is about. */
function contentWords(text: string): string[] {
  const bare = text.replaceAll(questionWord, (found) => " ".repeat(found.length));
  const words = readTokens(bare).filter(
    ({ kind }) => !/^(?:filler|between|to|which|duration|count|howmuch|list|by|and|compare)$/.test(kind),
  );
  return words.flatMap(({ text: word }) => {
    if (!/\p{Script=Han}/u.test(word)) return word.split(/[\s-]+/);
    const parts = [...new Intl.Segmenter("zh", { granularity: "word" }).segment(word)].map(({ segment }) => segment);
    return word.length <= 2 ? [word] : parts.filter((part) => !/^[的了吗呢是有在和与]$/u.test(part));
  });
}

/** Words that mean the same here, in the form in which the documents have them. */
const synonyms: Readonly<Record<string, string>> = shop.synonyms;
const canonical = (word: string): string => synonyms[word.toLowerCase()] ?? word;

/** Whether a text speaks of a word: in English in any of its forms. */
function covers(text: string, word: string): boolean {
  const [sought, words] = [canonical(word), text.match(/[\p{L}\p{N}]+/gu) ?? []];
  if (/\p{Script=Han}/u.test(sought)) return text.includes(sought);
  return words.some((one) => stemOf(canonical(one)) === stemOf(sought));
}

function stemOf(word: string): string {
  const lower = word.toLowerCase();
  const stem = lower.replace(/(?:ing|ed|ies|es|s|y|e)$/u, "");
  return (stem.length >= 3 ? stem : lower).replace(/([b-df-hj-np-tv-z])\1$/u, "$1");
}

/** The lines of a document, with the heading above each. */
function linesOf(document: Document) {
  let heading = "";
  return document.text.split("\n").flatMap((raw) => {
    if (raw.startsWith("## ")) heading = raw.slice(3);
    const line = raw.replace(/^\s*(?:[-*]|\d+\.)\s+/, "").trim();
    return line === "" || raw.startsWith("#") ? [] : [{ document, heading, line }];
  });
}

/** Quotes lines that speak of everything that was asked about; where there is none, that is the answer. */
function quotes(documents: readonly Document[], topic: string, question: string, search: boolean, say: Say): Answer {
  const all = contentWords(topic);
  const bare = all.filter((word) => !search || !says("documentWord", word));
  const words = bare.length > 0 ? bare : all;
  const lasting = readTokens(question).some(({ kind }) => kind === "duration");
  const titled = search ? undefined : documents.find(({ title }) => words.every((word) => covers(title, word)));
  if (titled && !lasting) return summaryText(titled, say);
  const fitting = (titled ? [titled] : documents).flatMap(linesOf).flatMap((entry) => {
    const { document, heading, line } = entry;
    const own = words.filter((word) => covers(`${heading} ${line}`, word) && !covers(document.title, word)).length;
    const covered = words.every((word) => covers(`${document.title} ${heading} ${line}`, word));
    // What may be done is said by a line that allows or forbids.
    const suits = (!lasting || says("time", line)) && (!says("permission", question) || says("permitting", line));
    return covered && suits && (own > 0 || titled || search) ? [{ ...entry, own }] : [];
  });
  const best = fitting.sort((a, b) => b.own - a.own).slice(0, search || titled ? 8 : 1);
  const blocks = [...new Set(best.map(({ document }) => document))].map((document) => {
    const lines = best.filter((entry) => entry.document === document);
    const list = lines.map(({ heading, line }) => `> ${heading && say`${heading}:  ‖ ${heading}：`}${line}`);
    const { title, document_id: id } = document;
    return `${say`${title} (${id}) says: ‖ 《${title}》（${id}）写道：`}\n\n${list.join("\n")}`;
  });
  if (blocks.length > 0) return blocks.join("\n\n");
  const unread = words.filter((word) => !documents.some(({ title, text }) => covers(`${title} ${text}`, word)));
  return noPassage(unread.length > 0 ? unread : words, say, unread.length === 0);
}

/** Says what was looked for and not found. Of the rest of the documents, which nobody looked at, it says nothing. */
function noPassage(unread: string[], say: Say, together = false): Answer {
  const list = say.list(unread.map((word) => say`"${word}" ‖ “${word}”`));
  const message = together
    ? say`I searched the documents and found no passage with all of ${list}. ‖ 我搜索了文档，没有找到同时讲到${list}的段落。`
    : say`I searched the documents and found nothing on ${list}. ‖ 我搜索了文档，没有找到关于${list}的内容。`;
  return { unread, message };
}

/** The first line, and the first two points of each section; or all but the title. */
function summaryText(document: Document, say: Say, whole = false): string {
  const { title, document_id: id, updated, text } = document;
  const head = say`${title} (${id}, last changed ${updated}) ‖ 《${title}》（${id}，更新于 ${updated}）`;
  if (whole) return `${head}\n\n${text.replace(/^# .*\n+/, "")}`;
  const all = linesOf(document);
  const body = [...new Set(all.map(({ heading }) => heading))].map((heading) => {
    const points = all.flatMap((entry) => (entry.heading === heading ? entry.line : [])).slice(0, 2);
    const named = say`- **${heading}**: ${points.join(" ")} ‖ - **${heading}**：${points.join("")}`;
    return heading === "" ? `${points[0]}\n` : named;
  });
  return `${head}\n\n${body.join("\n")}`;
}
