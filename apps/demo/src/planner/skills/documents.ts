import type { Locale } from "@toolglot/core";
import { readTokens } from "../reading/tokens.ts";
import { furtherStep, type Unread } from "../reading/unread.ts";
import type { Answer, Task } from "../task.ts";
import { task } from "../task.ts";
import { literal, markdownTable } from "../text.ts";

interface Document {
  document_id: string;
  title: string;
  language: string;
  updated: string;
  text: string;
}

interface Hit {
  document_id: string;
  title: string;
}

type Kind = "search" | "ask" | "summarise" | "read" | "compare";

const compareEn =
  /^(?:(?:please|can you)\s+)*(?:compare\s+(.+?)\s+(?:and|with|to|vs\.?|against)\s+(.+)|(?:what (?:is|are)\s+)?(?:the\s+)?differences? between\s+(.+?)\s+and\s+(.+))$/isu;
const compareZh = /^(?:请|帮我)*(?:比较|对比)(?:一下)?(.+?)(?:和|与|跟|同)(.+?)(?:的?(?:区别|不同|异同))?[？?。]?$/su;
const patterns: readonly [kind: Kind, en: RegExp, zh: RegExp][] = [
  [
    "search",
    /^(?:(?:please|can you)\s+)*(?:search|look up|look for|look|find)\b(?:\s+(?:me|through|in|the|our|all|any))*(?:\s+(?:documents?|docs?|files|handbooks?|policies)\b)?\s*(?:for|about|on|that mention|which mention|mentioning)?\s+(.+)$/isu,
    /^(?:请|帮我)*(?:搜索|查找|检索|找一下|查一下|搜一下)\s*(.+)$/su,
  ],
  [
    "summarise",
    /^(?:(?:please|can you|give me|i want|a|an|the)\s+)*(?:summari[sz]e|summary of|sum up|overview of)\s+(.+)$/isu,
    /^(?:请|帮我)*(?:总结|概括|摘要|归纳|介绍)(?:一下)?\s*(.+)$/su,
  ],
  [
    "read",
    /^(?:(?:please|can you)\s+)*(?:read|show|open|fetch|print|display|get|give)\b(?:\s+me)?\s+(.+)$/isu,
    /^(?:请|帮我|给我)*(?:读一下|阅读|打开|显示|查看|看看|看一下|读)\s*(.+)$/su,
  ],
];
const asking =
  /[?？]\s*$|^(?:how|what|when|who|where|which|why|can|may|do|does|is|are|must|should|tell me)\b|多久|多少|几[天个]|怎么|怎样|如何|是否|能不能|可以|谁|什么|哪|吗/iu;

/** Requests about the documents. What a request names must stand in what it gets, or it gets nothing. */
export function readDocuments(question: string, language: Locale): Task | Unread | undefined {
  const compared = compareEn.exec(question) ?? compareZh.exec(question);
  const figures = readTokens(question, new Date(0)).some(({ kind }) => /^(?:field|aggregate|count|period)$/.test(kind));
  const sides = figures ? undefined : compared?.slice(1).filter((side) => side !== undefined);
  const asked = sides ? { kind: "compare" as const, topics: sides } : requestOf(question);
  if (asked === undefined) return undefined;
  const topics = asked.topics.map((topic) => contentWords(topic));
  if (topics.some((words) => words.length === 0)) return undefined;
  const more = furtherStep(question);
  if (more !== undefined) return { unread: [more] };
  return documentTask(
    asked.kind,
    asked.topics.map((topic) => topic.replace(/[\s?？。.!！]+$/u, "")),
    question,
    language,
  );
}

function requestOf(question: string): { kind: Kind; topics: string[] } | undefined {
  for (const [kind, en, zh] of patterns) {
    const topic = (en.exec(question) ?? zh.exec(question))?.[1];
    if (topic === undefined) continue;
    // Only documents are read or searched for; other things are shown by other skills.
    if (kind === "read" && !documentNoun.test(topic) && !/^[\w-]+-[\w-]+\W*$/.test(topic)) continue;
    if (
      kind === "search" &&
      !/\b(?:search|documents?|docs?|files|handbooks?|policies)\b|搜|检索|文档|文件|规定/iu.test(question)
    )
      continue;
    return { kind, topics: [topic] };
  }
  return undefined;
}

/** A question that the documents may answer. */
export function readAsk(question: string, language: Locale): Task | undefined {
  if (!asking.test(question) || contentWords(question).length === 0 || furtherStep(question) !== undefined)
    return undefined;
  return documentTask("ask", [question], question, language);
}

/** A list of all documents. */
export function listDocuments(language: Locale): Task {
  const zh = language === "zh";
  return task<Hit[]>({
    kind: "documents",
    tools: ["search_documents"],
    understanding: zh ? "用户想知道有哪些文档。" : "The user wants to know which documents there are.",
    plan: zh ? "搜索一次，“*”表示全部。" : "Search once; * stands for all.",
    target: zh ? "列出文档" : "List the documents",
    code: {
      python: '__result__ = search_documents("*", top_k=20)',
      javascript: '__result__ = await search_documents({ query: "*", top_k: 20 });',
    },
    *calls() {
      const [hits] = yield [{ name: "search_documents", input: { query: "*", top_k: 20 } }];
      return hits as Hit[];
    },
    answer(hits) {
      const lines = hits.map(({ title, document_id }) => `- ${title} (${document_id})`).join("\n");
      const count =
        hits.length === 20
          ? zh
            ? "前 20 篇文档："
            : "The first 20 documents:"
          : zh
            ? `共 ${hits.length} 篇文档：`
            : `${hits.length} documents:`;
      return `${count}\n\n${lines}`;
    },
  });
}

const hitsOf: Record<Kind, number> = { search: 8, ask: 5, summarise: 1, read: 1, compare: 1 };

function documentTask(kind: Kind, topics: readonly string[], question: string, language: Locale): Task {
  const zh = language === "zh";
  const queries = topics.map((topic) => {
    const words = contentWords(topic);
    // Chinese that stands together is searched for as it stands.
    const whole = /^\p{Script=Han}+$/u.test(words.join("")) && topic.includes(words.join(""));
    return words.map(canonical).join(whole ? "" : " ");
  });
  const about = topics.join(zh ? "、" : " / ");
  return task<Document[][]>({
    kind,
    tools: ["search_documents", "fetch_document"],
    understanding: zh
      ? `用户想知道文档里关于“${about}”的内容。`
      : `The user wants what the documents say about: ${about}.`,
    plan: zh
      ? "搜索，读取找到的文档，只引用确实提到的内容。"
      : "Search, fetch what is found, and quote only what speaks of it.",
    target: zh ? `查文档：${about}` : `Look into the documents: ${about}`,
    code: { python: pythonProgram(queries, hitsOf[kind]), javascript: javascriptProgram(queries, hitsOf[kind]) },
    *calls() {
      const found = (yield queries.map((query) => ({
        name: "search_documents",
        input: { query, top_k: hitsOf[kind] },
      }))) as Hit[][];
      const ids = found.map((hits) => hits.map(({ document_id }) => document_id));
      if (ids.flat().length === 0) return found.map(() => []);
      const documents = (yield ids
        .flat()
        .map((document_id) => ({ name: "fetch_document", input: { document_id } }))) as Document[];
      return ids.map((list) =>
        list.flatMap((id) => documents.filter(({ document_id }) => document_id === id).slice(0, 1)),
      );
    },
    answer(found) {
      if (kind === "ask") return askAnswer(found[0] ?? [], question, language);
      if (kind === "search") return searchAnswer(found[0] ?? [], topics[0] ?? "", language);
      const chosen: Document[] = [];
      for (const [index, topic] of topics.entries()) {
        const document = found[index]?.[0];
        const words = contentWords(topic).filter((word) => !documentWord.test(word));
        const missing = words.filter((word) => !document || !covers(`${document.title} ${document.document_id}`, word));
        if (!document || missing.length > 0)
          return {
            unread: missing.length > 0 ? missing : [topic],
            message: noDocument(missing.length > 0 ? missing : [topic], document, language),
          };
        chosen.push(document);
      }
      const [left, right] = chosen;
      if (left === undefined) return noDocument(topics, undefined, language);
      if (kind === "read") return `${headOf(left, language)}\n\n${left.text.replace(/^# .*\n+/, "")}`;
      return right === undefined ? summaryText(left, language) : comparison(left, right, language);
    },
  });
}

function pythonProgram(queries: readonly string[], count: number): string {
  return `def read(query):
    hits = search_documents(query, top_k=${count})
    return [fetch_document(hit["document_id"]) for hit in hits]

__result__ = [read(query) for query in [${queries.map(literal).join(", ")}]]`;
}

function javascriptProgram(queries: readonly string[], count: number): string {
  const reading =
    count === 1
      ? `  const [hit] = await search_documents({ query, top_k: 1 });
  if (!hit) return [];
  const document = await fetch_document({ document_id: hit.document_id });
  return [document];`
      : `  const hits = await search_documents({ query, top_k: ${count} });
  return Promise.all(hits.map(({ document_id }) => fetch_document({ document_id })));`;
  return `async function read(query) {
${reading}
}

__result__ = await Promise.all([${queries.map(literal).join(", ")}].map((query) => read(query)));`;
}

const documentNoun =
  /\b(?:polic(?:y|ies)|rules?|terms|documents?|notice|handbook|runbook|letters|tiers)\b|政策|规定|规则|条款|办法|手册|守则|文档|文件/iu;
const documentWord =
  /^(?:polic(?:y|ies)|rules?|terms?|documents?|docs?|conditions?|guidelines?|texts?|页面?|政策|规定|规则|条款|办法|处理办法|制度|内容|文档|文件)$/iu;
const questionWords =
  /(?<![\p{Script=Latin}\p{N}])(?:how|why|must|may|should|might|shall|gets?|got|takes?|happens?|need(?:s|ed)?|they|he|she|his|her|their|them|if|so|then|into|about|what['’]s|be|one|someone|somebody|something|people|person|going|goes?|speaks?|says?|said|does|long|many|much|there['’]s|it['’]s|i['’]m)(?![\p{Script=Latin}\p{N}])|怎么办?|怎样|如何|为什么|多长|需要|应该|应当|必须|是否|能不能|可不可以|可否|会不会|谁|哪里|之内|以内|时间|关于|有关|相关|时候?|要求|告诉|怎|样/giu;

/** The words of a text that tell what it is about. */
function contentWords(text: string): string[] {
  const bare = text.replaceAll(questionWords, (found) => " ".repeat(found.length));
  const tokens = readTokens(bare, new Date(0)).filter(
    ({ kind }) => !/^(?:filler|which|duration|count|howmuch|list|by|and|compare)$/.test(kind),
  );
  return tokens
    .flatMap(({ text: word }) => (/\p{Script=Han}/u.test(word) ? hanWords(word) : word.split(/[\s-]+/)))
    .filter((word) => word !== "");
}

function hanWords(text: string): string[] {
  if (text.length <= 2) return [text];
  return [...new Intl.Segmenter("zh", { granularity: "word" }).segment(text)]
    .map(({ segment }) => segment)
    .filter((word) => !/^[的了吗呢是有在和与]$/u.test(word));
}

/** Words that mean the same here, in the form in which the documents have them. */
const synonyms: Record<string, string> = {
  late: "delay",
  guarantee: "warranty",
  membership: "member",
  package: "parcel",
  delayed: "delay",
  迟到: "延误",
  延迟: "延误",
  晚到: "延误",
  质保: "保修",
  天: "天",
};

function canonical(word: string): string {
  return synonyms[word.toLowerCase()] ?? word;
}

/** Whether a text speaks of a word: in English in any of its forms. */
function covers(text: string, word: string): boolean {
  const wanted = canonical(word);
  if (/\p{Script=Han}/u.test(wanted)) return text.includes(wanted);
  const stem = stemOf(canonical(wanted.toLowerCase()));
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).some((one) => stemOf(canonical(one)) === stem);
}

function stemOf(word: string): string {
  const stem = word.replace(/(?:ing|ed|ies|es|s|y|e)$/u, "");
  return (stem.length >= 3 ? stem : word).replace(/([b-df-hj-np-tv-z])\1$/u, "$1");
}

interface Passage {
  document: Document;
  heading: string;
  line: string;
}

function passages(document: Document): Passage[] {
  let heading = "";
  return document.text.split("\n").flatMap((raw) => {
    if (raw.startsWith("## ")) heading = raw.slice(3);
    const line = raw.replace(/^\s*(?:[-*]|\d+\.)\s+/, "").trim();
    return line === "" || raw.startsWith("#") ? [] : [{ document, heading, line }];
  });
}

/** Quotes the passage that speaks of everything that was asked about; where there is none, that is the answer. */
function askAnswer(documents: readonly Document[], question: string, language: Locale): Answer {
  const zh = language === "zh";
  const words = contentWords(question);
  const lasting = readTokens(question, new Date(0)).some(({ kind }) => kind === "duration");
  const time =
    /\d[\d,]*\s*(?:working\s+)?(?:days?|months?|weeks?|hours?|minutes?|years?)|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:day|morning|month)\b|\d\s*(?:天|个月|小时|个工作日|年|分钟)|每周|第一天/iu;
  // What may be done is told by a line that allows or forbids.
  const allowed = /^(?:can|may|must|should|could)\b|可以.*吗|能.*吗|能不能|可不可以/iu.test(question);
  const rule = /\b(?:can|may|must|cannot|pays?|free|only|never)\b|可以|不得|须|能|承担/iu;
  const fitting = documents
    .flatMap(passages)
    .map((passage) => ({
      ...passage,
      own: words.filter(
        (word) => covers(`${passage.heading} ${passage.line}`, word) && !covers(passage.document.title, word),
      ).length,
    }))
    .filter(
      ({ document, heading, line, own }) =>
        own > 0 &&
        words.every((word) => covers(`${document.title} ${heading} ${line}`, word)) &&
        (!lasting || time.test(line)) &&
        (!allowed || rule.test(line)),
    );
  // What a whole document is about is not looked for in a line of another one.
  const titled = documents.find(({ title }) => words.every((word) => covers(title, word)));
  const lines = titled && lasting ? passages(titled).filter(({ line }) => time.test(line)) : [];
  if (titled && lines.length > 0) {
    const list = lines
      .slice(0, 6)
      .map(({ heading, line }) => `> ${heading === "" ? "" : `${heading}${zh ? "：" : ": "}`}${line}`);
    return `${zh ? `《${titled.title}》（${titled.document_id}）写道：` : `${titled.title} (${titled.document_id}) says:`}\n\n${list.join("\n")}`;
  }
  const best = titled ? undefined : fitting.sort((a, b) => b.own - a.own)[0];
  if (best && !/\bthis page\b|本页|本办法/iu.test(best.line)) {
    const { document, heading, line } = best;
    const where = heading === "" ? "" : zh ? `“${heading}”一节` : `, under “${heading}”`;
    return zh
      ? `《${document.title}》（${document.document_id}）${where}写道：\n\n> ${line}`
      : `${document.title} (${document.document_id})${where}, says:\n\n> ${line}`;
  }
  const whole = best?.document ?? titled;
  if (whole) return summaryText(whole, language);
  const unknown = words.filter((word) => !documents.some(({ title, text }) => covers(`${title} ${text}`, word)));
  if (unknown.length > 0) return { unread: unknown, message: noDocument(unknown, undefined, language) };
  const list = words.map(quoted(language)).join(zh ? "、" : ", ");
  return {
    unread: words,
    message: zh
      ? `没有一处文档同时讲到${list}。`
      : `No passage of the documents speaks of all of this together: ${list}.`,
  };
}

function searchAnswer(documents: readonly Document[], topic: string, language: Locale): Answer {
  const zh = language === "zh";
  const words = contentWords(topic).filter((word) => !documentWord.test(word));
  const wanted = words.length > 0 ? words : contentWords(topic);
  const fitting = documents.filter(({ title, text }) => wanted.every((word) => covers(`${title} ${text}`, word)));
  if (fitting.length === 0) {
    const unknown = wanted.filter((word) => !documents.some(({ title, text }) => covers(`${title} ${text}`, word)));
    return noDocument(unknown.length > 0 ? unknown : [wanted.join(" ")], undefined, language);
  }
  const lines = fitting.map((document, index) => {
    const best = passages(document)
      .map(({ line }) => ({ line, own: wanted.filter((word) => covers(line, word)).length }))
      .sort((a, b) => b.own - a.own)[0];
    return `${index + 1}. ${document.title} (${document.document_id})\n   ${best?.line ?? ""}`;
  });
  const count = zh
    ? `找到 ${fitting.length} 篇文档：`
    : `${fitting.length} ${fitting.length === 1 ? "document" : "documents"} found:`;
  return `${count}\n\n${lines.join("\n")}`;
}

function quoted(language: Locale): (word: string) => string {
  return (word) => (language === "zh" ? `“${word}”` : `"${word}"`);
}

function noDocument(words: readonly string[], nearest: Document | undefined, language: Locale): string {
  const zh = language === "zh";
  const list = words.map(quoted(language)).join(zh ? "、" : ", ");
  const near = nearest
    ? zh
      ? `最接近的是《${nearest.title}》（${nearest.document_id}）。`
      : ` The nearest is ${nearest.title} (${nearest.document_id}).`
    : "";
  const verb = nearest ? (zh ? "专门讲" : "is about") : zh ? "提到" : "speaks of";
  return zh ? `没有文档${verb}${list}。${near}` : `No document ${verb} ${list}.${near}`;
}

interface Section {
  heading: string;
  points: string[];
}

function sectionsOf(text: string): { intro: string; sections: Section[] } {
  const sections: Section[] = [];
  let intro = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("## ")) sections.push({ heading: line.slice(3), points: [] });
    else if (line.trim() === "" || line.startsWith("# ")) continue;
    else if (sections.length > 0) sections.at(-1)?.points.push(line.trim().replace(/^(?:-|\d+\.)\s+/, ""));
    else if (intro === "") intro = line.trim();
  }
  return { intro, sections };
}

function headOf({ title, document_id, updated }: Document, language: Locale): string {
  return language === "zh"
    ? `《${title}》（${document_id}，更新于 ${updated}）`
    : `${title} (${document_id}, last changed ${updated})`;
}

function summaryText(document: Document, language: Locale): string {
  const { intro, sections } = sectionsOf(document.text);
  const [colon, space] = language === "zh" ? ["：", ""] : [": ", " "];
  const body = sections.map(({ heading, points }) => `- **${heading}**${colon}${points.slice(0, 2).join(space)}`);
  return [headOf(document, language), intro, body.join("\n")].filter(Boolean).join("\n\n");
}

function comparison(left: Document, right: Document, language: Locale): string {
  const zh = language === "zh";
  if (left.document_id === right.document_id) {
    return zh
      ? `两个说法指的是同一篇：《${left.title}》（${left.document_id}）。`
      : `Both mean the same document: ${left.title} (${left.document_id}).`;
  }
  const headings = ({ text }: Document): string =>
    sectionsOf(text)
      .sections.map(({ heading }) => heading)
      .join(zh ? "、" : ", ");
  const table = markdownTable(
    ["", left.title, right.title],
    [
      [zh ? "文档" : "id", left.document_id, right.document_id],
      [zh ? "更新" : "changed", left.updated, right.updated],
      [zh ? "小节" : "sections", headings(left), headings(right)],
    ],
  );
  // Points that name a number are what differs.
  const facts = [left, right].map(
    ({ title, text }) => `${title}${zh ? "：" : ":"}\n${(text.match(/^- .*\d.*$/gmu) ?? []).join("\n")}`,
  );
  return `${table}\n\n${facts.join("\n\n")}`;
}
