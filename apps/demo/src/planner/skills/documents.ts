import type { Locale } from "@toolglot/core";
import { type Skill, type Task, task } from "../task.ts";
import { literal } from "../text.ts";

interface Hit {
  document_id: string;
  title: string;
  score: number;
  snippet: string;
}

interface Document {
  document_id: string;
  title: string;
  updated: string;
  text: string;
}

interface Section {
  heading: string;
  points: string[];
}

interface Summary {
  document_id?: string;
  title?: string;
  updated?: string;
  intro?: string;
  sections?: Section[];
}

function cleanTopic(topic: string): string {
  return topic
    .replace(/^(?:(?:me|the|our|a|an|about|for|on|documents?|docs?)\s+)+/gi, "")
    .replace(/^(?:一下|关于|有关|文档|文件|的)+/u, "")
    .replace(/[\s?？。.!！:：,，、"“”]+$/u, "")
    .replace(/(?:的(?:文档|文件|内容|规定)?|相关(?:文档|文件)?)$/u, "")
    .trim();
}

/** `Search the documents for vouchers.` */
export const searchSkill: Skill = {
  id: "search",
  title: { en: "search the documents", zh: "搜索文档" },
  example: { en: "search the documents for vouchers", zh: "搜索关于代金券的文档" },
  read(question, language) {
    const match =
      /\b(?:search|look up|look for|find)\b(?:\s+(?:the|our|all|in))*(?:\s+(?:documents?|docs?|files|handbooks?))?\s*(?:for|about|on|that mention|mentioning)?\s+(.+)/i.exec(
        question,
      ) ?? /(?:搜索|查找|检索|找一下|查一下|查询文档|搜一下)\s*(.+)/u.exec(question);
    const topic = match?.[1] && cleanTopic(match[1]);
    return topic ? searchTask("search", topic, language) : undefined;
  },
};

const asking =
  /\?|？|^(?:how|what|when|who|where|which|can|may|do|does|is|are|must|tell)\b|多久|多少|几天|怎么|怎样|如何|是否|能不能|可以|谁|什么|哪/iu;
const domainWords =
  /\b(?:polic|return|refund|warrant|voucher|deliver|ship|delay|restock|reorder|member|gold|silver|incident|sev[123]|batter|lantern|letters?|customer care|privacy|carton)\w*|政策|退货|退款|保修|代金券|发货|延误|补货|会员|金卡|优先级|客户资料|泄露|回复客户|吊牌|运费|电池|首次回复|补偿/iu;

/** `How long is the warranty on tents?` */
export const askSkill: Skill = {
  id: "ask",
  title: { en: "look up a rule", zh: "查规定" },
  example: { en: "How long is the warranty on tents?", zh: "金卡会员多少天内可以退货？" },
  read(question, language) {
    const fits = asking.test(question) && domainWords.test(question);
    return fits ? searchTask("ask", cleanTopic(question), language) : undefined;
  },
};

function searchTask(kind: "search" | "ask", query: string, language: Locale): Task {
  const zh = language === "zh";
  const count = kind === "search" ? 5 : 3;
  return task<Hit[]>({
    kind,
    tools: ["search_documents"],
    understanding: zh
      ? `用户想在文档中查“${query}”。`
      : `The user wants to know what the documents say about "${query}".`,
    plan: zh ? `用 search_documents 搜索，取前 ${count} 篇。` : `Search once and take the best ${count} documents.`,
    target: zh ? `在文档中查找：${query}` : `Find documents about: ${query}`,
    code: {
      python: `__result__ = search_documents(${literal(query)}, top_k=${count})`,
      javascript: `__result__ = await search_documents({ query: ${literal(query)}, top_k: ${count} });`,
    },
    *calls() {
      const [hits] = yield [{ name: "search_documents", input: { query, top_k: count } }];
      return hits as Hit[];
    },
    answer: (hits) => (kind === "search" ? listHits(hits, query, zh) : quoteHits(hits, query, zh)),
  });
}

function listHits(hits: readonly Hit[], query: string, zh: boolean): string {
  if (hits.length === 0) return nothingFound(query, zh);
  const lines = hits.map((hit, index) => `${index + 1}. ${hit.title} (${hit.document_id})\n   ${hit.snippet}`);
  const found = zh
    ? `找到 ${hits.length} 篇文档：`
    : `${hits.length} ${hits.length === 1 ? "document" : "documents"} found:`;
  return `${found}\n\n${lines.join("\n")}`;
}

function quoteHits(hits: readonly Hit[], query: string, zh: boolean): string {
  const best = hits[0];
  if (!best) return nothingFound(query, zh);
  const others = hits.slice(1).filter((hit) => hit.score > best.score / 2);
  const more = others.map((hit) => `- ${hit.title} (${hit.document_id}): ${hit.snippet}`).join("\n");
  const lead = zh ? `《${best.title}》（${best.document_id}）写道：` : `${best.title} (${best.document_id}) says:`;
  return `${lead}\n\n> ${best.snippet}${more && `\n\n${zh ? "另见：" : "See also:"}\n${more}`}`;
}

function nothingFound(query: string, zh: boolean): string {
  return zh ? `文档中没有找到与“${query}”有关的内容。` : `No document mentions "${query}".`;
}

/** `Summarise the refund policy.` */
export const summariseSkill: Skill = {
  id: "summarise",
  title: { en: "fetch a document and summarise it", zh: "读取文档并总结" },
  example: { en: "summarise the refund policy", zh: "总结一下退货政策" },
  read(question, language) {
    const match =
      /\b(?:summari[sz]e|summary of|sum up|overview of)\s+(.+)/i.exec(question) ??
      /(?:总结|概括|摘要|归纳|介绍)\s*(.+)/u.exec(question);
    const topic = match?.[1] && cleanTopic(match[1]);
    return topic ? summariseTask(topic, language) : undefined;
  },
};

function summariseTask(topic: string, language: Locale): Task {
  const zh = language === "zh";
  return task<Summary>({
    kind: "summarise",
    tools: ["search_documents", "fetch_document"],
    understanding: zh ? `用户想要“${topic}”的摘要。` : `The user wants a summary of "${topic}".`,
    plan: zh
      ? "搜索，读取最相符的一篇，逐节取出要点。"
      : "Search, fetch the best document, and take the points of each section.",
    target: zh ? `总结文档：${topic}` : `Summarise: ${topic}`,
    code: {
      python: `hits = search_documents(${literal(topic)}, top_k=1)
if hits:
    document = fetch_document(hits[0]["document_id"])
    intro = ""
    sections = []
    for line in document["text"].splitlines():
        if line.startswith("## "):
            sections.append({"heading": line[3:], "points": []})
        elif not line.strip() or line.startswith("# "):
            continue
        elif sections:
            sections[-1]["points"].append(re.sub(r"^(?:-|\\d+\\.)\\s+", "", line.strip()))
        elif not intro:
            intro = line.strip()
    __result__ = {
        "document_id": document["document_id"],
        "title": document["title"],
        "updated": document["updated"],
        "intro": intro,
        "sections": sections,
    }
else:
    __result__ = {}`,
      javascript: `const [hit] = await search_documents({ query: ${literal(topic)}, top_k: 1 });
__result__ = {};
if (hit) {
  const { document_id, title, updated, text } = await fetch_document({ document_id: hit.document_id });
  const sections = [];
  let intro = "";
  for (const line of text.split("\\n")) {
    if (line.startsWith("## ")) sections.push({ heading: line.slice(3), points: [] });
    else if (line.trim() === "" || line.startsWith("# ")) continue;
    else if (sections.length > 0) sections.at(-1).points.push(line.trim().replace(/^(?:-|\\d+\\.)\\s+/, ""));
    else if (intro === "") intro = line.trim();
  }
  __result__ = { document_id, title, updated, intro, sections };
}`,
    },
    *calls() {
      const [found] = yield [{ name: "search_documents", input: { query: topic, top_k: 1 } }];
      const id = (found as Hit[])[0]?.document_id;
      if (id === undefined) return {};
      const [document] = yield [{ name: "fetch_document", input: { document_id: id } }];
      return summarise(document as Document);
    },
    answer({ title, document_id, updated, intro, sections = [] }) {
      if (title === undefined) return nothingFound(topic, zh);
      const head = zh
        ? `《${title}》（${document_id}，更新于 ${updated}）`
        : `${title} (${document_id}, last changed ${updated})`;
      const body = sections.map(({ heading, points }) => `- **${heading}**: ${points.slice(0, 2).join(" ")}`);
      return [head, intro, body.join("\n")].filter(Boolean).join("\n\n");
    },
  });
}

/** What the programs above do, for calls without code. */
function summarise(document: Document): Summary {
  const sections: Section[] = [];
  let intro = "";
  for (const line of document.text.split("\n")) {
    if (line.startsWith("## ")) sections.push({ heading: line.slice(3), points: [] });
    else if (line.trim() === "" || line.startsWith("# ")) continue;
    else if (sections.length > 0) sections.at(-1)?.points.push(line.trim().replace(/^(?:-|\d+\.)\s+/, ""));
    else if (intro === "") intro = line.trim();
  }
  const { document_id, title, updated } = document;
  return { document_id, title, updated, intro, sections };
}
