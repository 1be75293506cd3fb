import { path } from "../plan.ts";
import { canonical, contentWords, covers, documentWord } from "../reading/content.ts";
import { readTokens } from "../reading/tokens.ts";
import { furtherStep } from "../reading/unread.ts";
import { type Answer, plannedTask, type Task, type Unread } from "../task.ts";
import type { Say } from "../text.ts";
import { askAnswer, comparison, type Document, noDocument, searchAnswer, summaryText } from "./document-answers.ts";

/** How a kind begins, and the topics behind it; what the request must say besides: other things are shown by other skills. */
const table = String.raw`
compare ; PLEASEcompare\s+(.+?)\s+(?:and|with|to|vs\.?|against)\s+(.+)|(?:what (?:is|are)\s+)?(?:the\s+)?differences? between\s+(.+?)\s+and\s+(.+)|(?:请|帮我)*(?:比较|对比)(?:一下)?(.+?)(?:和|与|跟|同)(.+?)(?:的?(?:区别|不同|异同))?[？?。]?
search ; PLEASE(?:search|look up|look for|look|find)\b(?:\s+(?:me|through|in|the|our|all|any))*(?:\s+(?:documents?|docs?|files|handbooks?|policies)\b)?\s*(?:for|about|on|that mention|which mention|mentioning)?\s+(.+)|(?:请|帮我)*(?:搜索|查找|检索|找一下|查一下|搜一下)\s*(.+) ; \b(?:search|documents?|docs?|files|handbooks?|policies)\b|搜|检索|文档|文件|规定
summarise ; (?:(?:please|can you|give me|i want|a|an|the)\s+)*(?:summari[sz]e|summary of|sum up|overview of)\s+(.+)|(?:请|帮我)*(?:总结|概括|摘要|归纳|介绍)(?:一下)?\s*(.+)
read ; PLEASE(?:read|show|open|fetch|print|display|get|give)\b(?:\s+me)?\s+(.+)|(?:请|帮我|给我)*(?:读一下|阅读|打开|显示|查看|看看|看一下|读)\s*(.+) ; \b(?:polic(?:y|ies)|rules?|terms|documents?|notice|handbook|runbook|letters|tiers)\b|政策|规定|规则|条款|办法|手册|守则|文档|文件|^\S+ [\w-]+-[\w-]+\W*$`;

const patterns = table
  .trim()
  .split("\n")
  .map((line) => {
    const [kind = "", asked = "", says = ""] = line.replace("PLEASE", "(?:(?:please|can you)\\s+)*").split(" ; ");
    return { kind, asked: new RegExp(`^(?:${asked})$`, "isu"), says: new RegExp(says, "iu") };
  });

const asking =
  /[?？]\s*$|^(?:how|what|when|who|where|which|why|can|may|do|does|is|are|must|should|tell me)\b|多久|多少|几[天个]|怎么|怎样|如何|是否|能不能|可以|谁|什么|哪|吗/iu;

/** Requests about the documents. What a request names must stand in what it gets, or it gets nothing. */
export function readDocuments(question: string, say: Say): Task | Unread | undefined {
  const figures = readTokens(question, new Date(0)).some(({ kind }) => /^(?:field|aggregate|count|period)$/.test(kind));
  for (const { kind, asked, says } of patterns) {
    const groups = asked.exec(question)?.slice(1) ?? [];
    const topics = groups.flatMap((topic) => topic?.replace(/[\s?？。.!！]+$/u, "") ?? []);
    if (topics.length === 0 || !says.test(question) || (figures && kind === "compare")) continue;
    if (topics.some((topic) => contentWords(topic).length === 0)) return undefined;
    const more = furtherStep(question);
    return more === undefined ? documentTask(kind, topics, question, say) : { unread: [more] };
  }
  return undefined;
}

/** A question that the documents may answer. */
export function readAsk(question: string, say: Say): Task | undefined {
  if (!asking.test(question) || contentWords(question).length === 0 || furtherStep(question) !== undefined)
    return undefined;
  return documentTask("ask", [question], question, say);
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
  const searches = topics.map((topic, index) => ({
    name: `hits_for_${names[index]}`,
    tool: "search_documents",
    input: { query: queryOf(topic), top_k: { search: 8, ask: 5 }[kind] ?? 1 },
  }));
  const fetches = names.map((name, index) => ({
    name,
    each: path(searches[index]?.name ?? ""),
    tool: "fetch_document",
    input: { document_id: path("item", "document_id") },
  }));
  return plannedTask<Record<string, Document[]>>({
    kind,
    about: say`what the documents say about: ${topics.join(" / ")} ‖ 文档里关于“${topics.join("、")}”的内容`,
    steps: [searches, fetches],
    result: names,
    answer(values) {
      const found = Object.values(values);
      if (kind === "ask") return askAnswer(found[0] ?? [], question, say);
      if (kind === "search") return searchAnswer(found[0] ?? [], topics[0] ?? "", say);
      const best = found.map(([first]) => first);
      return documentsAnswer(kind, topics, best, say);
    },
  });
}

type Found = Document | undefined;

function queryOf(topic: string): string {
  const words = contentWords(topic);
  // Chinese that stands together is searched for as it stands.
  const whole = /^\p{Script=Han}+$/u.test(words.join("")) && topic.includes(words.join(""));
  return words.map(canonical).join(whole ? "" : " ");
}

/** What the best document for each topic says, if it is one about it. */
function documentsAnswer(kind: string, topics: readonly string[], best: readonly Found[], say: Say): Answer {
  for (const [index, topic] of topics.entries()) {
    const document = best[index];
    const words = contentWords(topic).filter((word) => !documentWord.test(word));
    const missing = words.filter((word) => !document || !covers(`${document.title} ${document.document_id}`, word));
    const unread = missing.length > 0 ? missing : [topic];
    if (!document || missing.length > 0) return { unread, message: noDocument(unread, document, say) };
  }
  const [left, right] = best;
  if (left && right) return comparison(left, right, say);
  return left ? summaryText(left, say, kind === "read") : noDocument(topics, undefined, say);
}
