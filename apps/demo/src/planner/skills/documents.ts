import { furtherStep, readTokens } from "../reading/tokens.ts";
import { type Answer, plannedTask, type Task } from "../task.ts";
import { markdownTable, type Say } from "../text.ts";

/** A document as `fetch_document` gives it. */
type Document = Record<"document_id" | "title" | "language" | "updated" | "text", string>;

/** How a kind begins, and the topics behind it; what the request must say besides: other things are shown by other skills. */
const table = String.raw`
compare ; compare\s+(.+?)\s+(?:and|with|to)\s+(.+)|(?:请|帮我)*(?:比较|对比)(?:一下)?(.+?)(?:和|与)(.+)
search ; (?:search|look|find)\b(?:\s+(?:in|the|our|all))*(?:\s+(?:documents?|docs?)\b)?\s*(?:for|about|on)?\s+(.+)|(?:请|帮我)*(?:搜索|查找|找一下|查一下)\s*(.+) ; \b(?:search|documents?|docs?)\b|搜索|文档
summarise ; (?:(?:give me|an?)\s+)*(?:summari[sz]e|summary of|sum up)\s+(.+)|(?:请|帮我)*(?:总结|概括|介绍)(?:一下)?\s*(.+)
read ; (?:read|show|open)\b(?:\s+me)?\s+(.+)|(?:请|帮我)*(?:读一下|打开|显示|查看|读)\s*(.+) ; \b(?:polic(?:y|ies)|rules|terms|document|handbook|runbook)\b|政策|规则|条款|办法|手册|文档`;

const patterns = table
  .trim()
  .split("\n")
  .map((line) => {
    const [kind = "", asked = "", says = ""] = line.split(" ; ");
    return {
      kind,
      asked: new RegExp(`^(?:(?:please|can you)\\s+)*(?:${asked})$`, "isu"),
      says: new RegExp(says, "iu"),
    };
  });

const asking =
  /[?？]\s*$|^(?:how|what|when|who|where|which|why|can|may|do|does|is|are|must|should)\b|多久|多少|几[天个]|怎么|是否|可以|谁|什么|哪|吗/iu;

/** Requests about the documents. What a request names must stand in what it gets, or it gets nothing. */
export function readDocuments(question: string, say: Say): Task | undefined {
  const figures = readTokens(question).some(({ kind }) => /^(?:field|aggregate|count|period)$/.test(kind));
  for (const { kind, asked, says } of patterns) {
    const groups = asked.exec(question)?.slice(1) ?? [];
    const topics = groups.flatMap((topic) => topic?.replace(/[\s?？。.!！]+$/u, "") ?? []);
    if (topics.length === 0 || !says.test(question) || (figures && kind === "compare")) continue;
    return topics.every((topic) => contentWords(topic).length > 0)
      ? documentTask(kind, topics, question, say)
      : undefined;
  }
  return undefined;
}

/** A question that the documents may answer. */
export function readAsk(question: string, say: Say): Task | undefined {
  const asks = asking.test(question) && contentWords(question).length > 0 && furtherStep(question) === undefined;
  return asks ? documentTask("ask", [question], question, say) : undefined;
}

/** A list of all documents. */
export function listDocuments(say: Say): Task {
  return plannedTask<Document[]>({
    kind: "documents",
    about: say`a list of the documents ‖ 文档列表`,
    steps: [[{ name: "hits", tool: "search_documents", input: { query: "*", top_k: 20 } }]],
    answer(hits) {
      const lines = hits.map(({ title, document_id: id }) => `- ${title} (${id})`).join("\n");
      const all = say`${hits.length} documents: ‖ 共 ${hits.length} 篇文档：`;
      return `${hits.length === 20 ? say`The first 20 documents: ‖ 前 20 篇文档：` : all}\n\n${lines}`;
    },
  });
}

function documentTask(kind: string, topics: readonly string[], question: string, say: Say): Task {
  const names = topics.map((_, index) => `documents${index === 0 ? "" : index + 1}`);
  const searches = topics.map((topic, index) => {
    const input = { query: queryOf(topic), top_k: { search: 8, ask: 5 }[kind] ?? 1 };
    return { name: `hits_for_${names[index]}`, tool: "search_documents", input };
  });
  const fetches = names.map((name, index) => {
    const input = { document_id: { from: "{item.document_id}" } };
    return { name, each: searches[index]?.name ?? "", tool: "fetch_document", input };
  });
  return plannedTask<Record<string, Document[]>>({
    kind,
    about: say`what the documents say about: ${topics.join(" / ")} ‖ 文档里关于“${topics.join("、")}”的内容`,
    steps: [searches, fetches],
    result: names,
    answer(values) {
      const [first = [], second] = Object.values(values);
      if (kind === "ask") return askAnswer(first, question, say);
      if (kind === "search") return searchAnswer(first, topics[0] ?? "", say);
      return documentsAnswer(topics, [first[0], second?.[0]], say, kind === "read");
    },
  });
}

/** Words for documents of any kind, and words of questions: neither tells what a document is about. */
const documentWord =
  /^(?:polic(?:y|ies)|rules?|terms?|documents?|docs?|政策|规定|规则|条款|办法|处理办法|文档|文件)$/iu;
const questionWord =
  /(?<!\p{L})(?:how|why|must|may|should|gets?|takes?|happens?|need|they|if|into|about|be|one|does|long)(?!\p{L})|怎么办?|如何|为什么|需要|应该|是否|谁|关于|时间|之内|以内/giu;

/** The words of a text that tell what it is about. */
function contentWords(text: string): string[] {
  const bare = text.replaceAll(questionWord, (found) => " ".repeat(found.length));
  const words = readTokens(bare).filter(
    ({ kind }) => !/^(?:filler|between|to|which|duration|count|howmuch|list|by|and|compare)$/.test(kind),
  );
  return words.flatMap(({ text: word }) => (/\p{Script=Han}/u.test(word) ? hanWords(word) : word.split(/[\s-]+/)));
}

function hanWords(text: string): string[] {
  const words = [...new Intl.Segmenter("zh", { granularity: "word" }).segment(text)].map(({ segment }) => segment);
  return text.length <= 2 ? [text] : words.filter((word) => !/^[的了吗呢是有在和与]$/u.test(word));
}

function queryOf(topic: string): string {
  const words = contentWords(topic);
  // Chinese that stands together is searched for as it stands.
  return words.map(canonical).join(topic.includes(words.join("")) ? "" : " ");
}

/** Words that mean the same here, in the form in which the documents have them. */
const synonyms: Readonly<Record<string, string>> = {
  late: "delay",
  delayed: "delay",
  guarantee: "warranty",
  迟到: "延误",
};
const canonical = (word: string): string => synonyms[word.toLowerCase()] ?? word;

/** Whether a text speaks of a word: in English in any of its forms. */
function covers(text: string, word: string): boolean {
  const wanted = canonical(word);
  if (/\p{Script=Han}/u.test(wanted)) return text.includes(wanted);
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).some((one) => stemOf(canonical(one)) === stemOf(wanted));
}

function stemOf(word: string): string {
  const lower = word.toLowerCase();
  const stem = lower.replace(/(?:ing|ed|ies|es|s|y|e)$/u, "");
  return (stem.length >= 3 ? stem : lower).replace(/([b-df-hj-np-tv-z])\1$/u, "$1");
}

/** The lines of a document, with the heading above each. */
function passages(document: Document) {
  let heading = "";
  return document.text.split("\n").flatMap((raw) => {
    if (raw.startsWith("## ")) heading = raw.slice(3);
    const line = raw.replace(/^\s*(?:[-*]|\d+\.)\s+/, "").trim();
    return line === "" || raw.startsWith("#") ? [] : [{ document, heading, line }];
  });
}

const named = ({ title, document_id: id }: Document, say: Say): string => say`${title} (${id}) ‖ 《${title}》（${id}）`;

const time =
  /\d[\d,]*\s*(?:working\s+)?(?:day|month|week|hour|minute|year)s?|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d\s*(?:天|个月|小时|个工作日|年)|每周/iu;

/** What may be done is said by a line that allows or forbids. */
const permission = /^(?:can|may|must|should)\b|可以.*吗|能.*吗/iu;
const rule = /\b(?:can|may|must|cannot|pays?|free|only|never)\b|可以|不得|须|能|承担/iu;

/** Quotes the line that speaks of everything that was asked about; where there is none, that is the answer. */
function askAnswer(documents: readonly Document[], question: string, say: Say): Answer {
  const words = contentWords(question);
  const lasting = readTokens(question).some(({ kind }) => kind === "duration");
  const titled = documents.find(({ title }) => words.every((word) => covers(title, word)));
  const fitting = (titled ? [titled] : documents)
    .flatMap(passages)
    .map((passage) => {
      const { document, heading, line } = passage;
      const own = words.filter((word) => covers(`${heading} ${line}`, word) && !covers(document.title, word));
      const all = words.every((word) => covers(`${document.title} ${heading} ${line}`, word));
      return {
        ...passage,
        own: own.length,
        fits: all && (!lasting || time.test(line)) && (!permission.test(question) || rule.test(line)),
      };
    })
    .filter(({ own, fits }) => fits && (titled ? lasting : own > 0))
    .sort((a, b) => b.own - a.own)
    .slice(0, titled ? 6 : 1);
  const [best] = fitting;
  if (best) {
    const quotes = fitting.map(({ heading, line }) => `> ${heading && say`${heading}:  ‖ ${heading}：`}${line}`);
    const name = named(best.document, say);
    return `${say`${name} says: ‖ ${name}写道：`}\n\n${quotes.join("\n")}`;
  }
  if (titled) return summaryText(titled, say);
  const unread = unknownOf(words, documents);
  if (unread.length > 0) return { unread, message: noDocument(unread, say) };
  const message = say`No passage of the documents speaks of all of this together: ${quoted(words, say)}. ‖ 没有一处文档同时讲到${quoted(words, say)}。`;
  return { unread: words, message };
}

const unknownOf = (words: readonly string[], documents: readonly Document[]): string[] =>
  words.filter((word) => !documents.some(({ title, text }) => covers(`${title} ${text}`, word)));

const quoted = (words: readonly string[], say: Say): string =>
  say.list(words.map((word) => say`"${word}" ‖ “${word}”`));

const noDocument = (words: readonly string[], say: Say): string =>
  say`No document speaks of ${quoted(words, say)}. ‖ 没有文档提到${quoted(words, say)}。`;

/** Each document that speaks of all that is looked for, with its best line. */
function searchAnswer(documents: readonly Document[], topic: string, say: Say): Answer {
  const words = contentWords(topic);
  const fitting = documents.filter((document) => unknownOf(words, [document]).length === 0);
  if (fitting.length === 0) return noDocument(words, say);
  const lines = fitting.map((document, index) => {
    const own = ({ line }: { line: string }): number => words.filter((word) => covers(line, word)).length;
    const [best] = passages(document).sort((a, b) => own(b) - own(a));
    return `${index + 1}. ${document.title} (${document.document_id})\n   ${best?.line ?? ""}`;
  });
  const noun = fitting.length === 1 ? "document" : "documents";
  return `${say`${fitting.length} ${noun} found: ‖ 找到 ${fitting.length} 篇文档：`}\n\n${lines.join("\n")}`;
}

/** The first line, and the first two points of each section; or all but the title. */
function summaryText(document: Document, say: Say, whole = false): string {
  const { title, document_id: id, updated, text } = document;
  const head = say`${title} (${id}, last changed ${updated}) ‖ 《${title}》（${id}，更新于 ${updated}）`;
  if (whole) return `${head}\n\n${text.replace(/^# .*\n+/, "")}`;
  const all = passages(document);
  const body = [...new Set(all.map(({ heading }) => heading))].map((heading) => {
    const points = all.flatMap((passage) => (passage.heading === heading ? passage.line : [])).slice(0, 2);
    return heading === ""
      ? `${points[0]}\n`
      : say`- **${heading}**: ${points.join(" ")} ‖ - **${heading}**：${points.join("")}`;
  });
  return `${head}\n\n${body.join("\n")}`;
}

/** What the best document for each topic says, if it is one about it. */
function documentsAnswer(
  topics: readonly string[],
  best: readonly (Document | undefined)[],
  say: Say,
  whole: boolean,
): Answer {
  for (const [index, topic] of topics.entries()) {
    const document = best[index];
    const words = contentWords(topic).filter((word) => !documentWord.test(word));
    const missing = words.filter((word) => !document || !covers(`${document.title} ${document.document_id}`, word));
    const unread = document ? missing : [topic];
    if (unread.length > 0) return { unread, message: noDocument(unread, say) };
  }
  const [left, right] = best as [Document, Document | undefined];
  return right ? comparison(left, right, say) : summaryText(left, say, whole);
}

/** Two documents side by side: their sections, and the points that name a number, which is what differs. */
function comparison(left: Document, right: Document, say: Say): string {
  const sections = ({ text }: Document): string =>
    say.list((text.match(/^## .*$/gm) ?? []).map((line) => line.slice(3)));
  const table = markdownTable(
    ["", left.title, right.title],
    [
      [say`id ‖ 文档`, left.document_id, right.document_id],
      [say`changed ‖ 更新`, left.updated, right.updated],
      [say`sections ‖ 小节`, sections(left), sections(right)],
    ],
  );
  const facts = [left, right].map(({ title, text }) => {
    return `${title}${say`: ‖ ：`}\n${(text.match(/^- .*\d.*$/gmu) ?? []).join("\n")}`;
  });
  return [table, ...facts].join("\n\n");
}
