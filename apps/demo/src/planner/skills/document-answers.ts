import { contentWords, covers, documentWord } from "../reading/content.ts";
import { readTokens } from "../reading/tokens.ts";
import type { Answer } from "../task.ts";
import { markdownTable, type Say } from "../text.ts";

/** A document as `fetch_document` gives it. */
export type Document = Record<"document_id" | "title" | "language" | "updated" | "text", string>;

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
  /\d[\d,]*\s*(?:working\s+)?(?:days?|months?|weeks?|hours?|minutes?|years?)|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:day|morning|month)\b|\d\s*(?:天|个月|小时|个工作日|年|分钟)|每周|第一天/iu;
/** What may be done is said by a line that allows or forbids. */
const permission = /^(?:can|may|must|should|could)\b|可以.*吗|能.*吗|能不能|可不可以/iu;
const rule = /\b(?:can|may|must|cannot|pays?|free|only|never)\b|可以|不得|须|能|承担/iu;

/** Quotes the passage that speaks of everything that was asked about; where there is none, that is the answer. */
export function askAnswer(documents: readonly Document[], question: string, say: Say): Answer {
  const words = contentWords(question);
  const lasting = readTokens(question, new Date(0)).some(({ kind }) => kind === "duration");
  const fits = (line: string): boolean =>
    (!lasting || time.test(line)) && (!permission.test(question) || rule.test(line));
  // What a whole document is about is not looked for in a line of another one.
  const titled = documents.find(({ title }) => words.every((word) => covers(title, word)));
  const lines = titled && lasting ? passages(titled).filter(({ line }) => time.test(line)) : [];
  if (titled && lines.length > 0) {
    const heads = lines.map(({ heading, line }) => `> ${heading && say`${heading}:  ‖ ${heading}：`}${line}`);
    const list = heads.slice(0, 6);
    return `${say`${named(titled, say)} says: ‖ ${named(titled, say)}写道：`}\n\n${list.join("\n")}`;
  }
  const fitting = documents.flatMap(passages).flatMap((passage) => {
    const { document, heading, line } = passage;
    const own = words.filter((word) => covers(`${heading} ${line}`, word) && !covers(document.title, word)).length;
    const all = words.every((word) => covers(`${document.title} ${heading} ${line}`, word));
    return own > 0 && all && fits(line) ? [{ ...passage, own }] : [];
  });
  const best = titled ? undefined : fitting.sort((a, b) => b.own - a.own)[0];
  if (best && !/\bthis page\b|本页|本办法/iu.test(best.line)) {
    const { document, heading, line } = best;
    const where = heading && say`, under “${heading}” ‖ “${heading}”一节`;
    const name = named(document, say);
    return say`${name}${where && `${where},`} says:\n\n> ${line} ‖ ${name}${where}写道：\n\n> ${line}`;
  }
  const whole = best?.document ?? titled;
  if (whole) return summaryText(whole, say);
  const unread = unknownOf(words, documents);
  if (unread.length > 0) return { unread, message: noDocument(unread, undefined, say) };
  const list = quoted(words, say);
  const message = say`No passage of the documents speaks of all of this together: ${list}. ‖ 没有一处文档同时讲到${list}。`;
  return { unread: words, message };
}

const unknownOf = (words: readonly string[], documents: readonly Document[]): string[] =>
  words.filter((word) => !documents.some(({ title, text }) => covers(`${title} ${text}`, word)));

/** Each document that speaks of all that is looked for, with its best line. */
export function searchAnswer(documents: readonly Document[], topic: string, say: Say): Answer {
  const all = contentWords(topic);
  const words = all.filter((word) => !documentWord.test(word));
  const wanted = words.length > 0 ? words : all;
  const fitting = documents.filter((document) => unknownOf(wanted, [document]).length === 0);
  if (fitting.length === 0) {
    const unknown = unknownOf(wanted, documents);
    return noDocument(unknown.length > 0 ? unknown : [wanted.join(" ")], undefined, say);
  }
  const lines = fitting.map((document, index) => {
    const own = ({ line }: { line: string }): number => wanted.filter((word) => covers(line, word)).length;
    const [best] = passages(document).sort((a, b) => own(b) - own(a));
    return `${index + 1}. ${document.title} (${document.document_id})\n   ${best?.line ?? ""}`;
  });
  const documentsFound = fitting.length === 1 ? "document" : "documents";
  return `${say`${fitting.length} ${documentsFound} found: ‖ 找到 ${fitting.length} 篇文档：`}\n\n${lines.join("\n")}`;
}

const quoted = (words: readonly string[], say: Say): string =>
  say.list(words.map((word) => say`"${word}" ‖ “${word}”`));

/** That no document speaks of some words, and which one comes nearest. */
export function noDocument(words: readonly string[], nearest: Document | undefined, say: Say): string {
  const list = quoted(words, say);
  if (nearest === undefined) return say`No document speaks of ${list}. ‖ 没有文档提到${list}。`;
  const near = named(nearest, say);
  return say`No document is about ${list}. The nearest is ${near}. ‖ 没有文档专门讲${list}。最接近的是${near}。`;
}

/** The first line, and the first two points of each section; or all but the title. */
export function summaryText(document: Document, say: Say, whole = false): string {
  const { title, document_id: id, updated, text } = document;
  const head = say`${title} (${id}, last changed ${updated}) ‖ 《${title}》（${id}，更新于 ${updated}）`;
  if (whole) return `${head}\n\n${text.replace(/^# .*\n+/, "")}`;
  const all = passages(document);
  const body = headingsOf(document).map((heading) => {
    const points = all.flatMap((passage) => (passage.heading === heading ? passage.line : [])).slice(0, 2);
    return say`- **${heading}**: ${points.join(" ")} ‖ - **${heading}**：${points.join("")}`;
  });
  const intro = all[0]?.heading === "" ? all[0].line : "";
  return [head, intro, body.join("\n")].filter(Boolean).join("\n\n");
}

const headingsOf = ({ text }: Document): string[] => (text.match(/^## .*$/gm) ?? []).map((line) => line.slice(3));

/** Two documents side by side. */
export function comparison(left: Document, right: Document, say: Say): string {
  if (left.document_id === right.document_id)
    return say`Both mean the same document: ${named(left, say)}. ‖ 两个说法指的是同一篇：${named(left, say)}。`;
  const table = markdownTable(
    ["", left.title, right.title],
    [
      [say`id ‖ 文档`, left.document_id, right.document_id],
      [say`changed ‖ 更新`, left.updated, right.updated],
      [say`sections ‖ 小节`, say.list(headingsOf(left)), say.list(headingsOf(right))],
    ],
  );
  // Points that name a number are what differs.
  const facts = [left, right].map(({ title, text }) => {
    const points = text.match(/^- .*\d.*$/gmu) ?? [];
    return `${title}${say`: ‖ ：`}\n${points.join("\n")}`;
  });
  return [table, ...facts].join("\n\n");
}
