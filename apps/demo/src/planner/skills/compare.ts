import type { Locale } from "@toolglot/core";
import { PlanError, type Skill, type Task, task } from "../task.ts";
import { literal, markdownTable } from "../text.ts";

interface Side {
  document_id: string;
  title: string;
  updated: string;
  headings: string[];
  /** Points that name a number. */
  facts: string[];
}

/** `Compare the return policy and the warranty terms.` */
export const compareSkill: Skill = {
  id: "compare",
  title: { en: "compare two documents", zh: "比较两篇文档" },
  example: { en: "compare the return policy and the warranty terms", zh: "比较退货政策和保修条款" },
  read(question, language) {
    const match =
      /\bcompare\s+(.+?)\s+(?:and|with|to|vs\.?|against)\s+(.+)/i.exec(question) ??
      /\bdifferences? between\s+(.+?)\s+and\s+(.+)/i.exec(question) ??
      /(?:比较|对比)(?:一下)?(.+?)(?:和|与|跟|同)(.+)/u.exec(question);
    const [first, second] = [match?.[1], match?.[2]].map((side) =>
      side
        ?.replace(/^(?:the|our)\s+/i, "")
        .replace(/(?:的(?:区别|不同|异同))?[\s?？。.!！]*$/u, "")
        .trim(),
    );
    return first && second ? compareTask(first, second, language) : undefined;
  },
};

function compareTask(first: string, second: string, language: Locale): Task {
  const zh = language === "zh";
  return task<Side[]>({
    kind: "compare",
    tools: ["search_documents", "fetch_document"],
    understanding: zh
      ? `用户想比较“${first}”和“${second}”。`
      : `The user wants to compare "${first}" with "${second}".`,
    plan: zh
      ? "各搜索一次，读取两篇全文，取出小标题和带数字的条目。"
      : "Search for each, fetch both in full, and collect headings and the points that name a number.",
    target: zh ? `比较：${first} / ${second}` : `Compare: ${first} / ${second}`,
    code: {
      python: `def read(query):
    hits = search_documents(query, top_k=1)
    if not hits:
        raise ValueError("no document about " + query)
    document = fetch_document(hits[0]["document_id"])
    lines = document["text"].splitlines()
    return {
        "document_id": document["document_id"],
        "title": document["title"],
        "updated": document["updated"],
        "headings": [line[3:] for line in lines if line.startswith("## ")],
        "facts": [line[2:] for line in lines if line.startswith("- ") and re.search(r"\\d", line)],
    }

__result__ = [read(query) for query in (${literal(first)}, ${literal(second)})]`,
      javascript: `async function read(query) {
  const [hit] = await search_documents({ query, top_k: 1 });
  if (!hit) throw new Error("no document about " + query);
  const { document_id, title, updated, text } = await fetch_document({ document_id: hit.document_id });
  const lines = text.split("\\n");
  return {
    document_id,
    title,
    updated,
    headings: lines.filter((line) => line.startsWith("## ")).map((line) => line.slice(3)),
    facts: lines.filter((line) => line.startsWith("- ") && /\\d/.test(line)).map((line) => line.slice(2)),
  };
}

__result__ = await Promise.all([${literal(first)}, ${literal(second)}].map((query) => read(query)));`,
    },
    *calls() {
      const found = yield [first, second].map((query) => ({ name: "search_documents", input: { query, top_k: 1 } }));
      const ids = (found as { document_id: string }[][]).map((hits, index) => {
        if (hits[0] === undefined) throw new PlanError(`no document about ${index === 0 ? first : second}`);
        return hits[0].document_id;
      });
      const documents = yield ids.map((document_id) => ({ name: "fetch_document", input: { document_id } }));
      return (documents as (Side & { text: string })[]).map(({ document_id, title, updated, text }) => {
        const lines = text.split("\n");
        return {
          document_id,
          title,
          updated,
          headings: lines.filter((line) => line.startsWith("## ")).map((line) => line.slice(3)),
          facts: lines.filter((line) => line.startsWith("- ") && /\d/.test(line)).map((line) => line.slice(2)),
        };
      });
    },
    answer([left, right]) {
      if (!left || !right) return zh ? "没有可比较的文档。" : "There was nothing to compare.";
      if (left.document_id === right.document_id) {
        return zh
          ? `两个说法指的是同一篇：《${left.title}》（${left.document_id}）。`
          : `Both mean the same document: ${left.title} (${left.document_id}).`;
      }
      const table = markdownTable(
        ["", left.title, right.title],
        [
          ["id", left.document_id, right.document_id],
          [zh ? "更新" : "changed", left.updated, right.updated],
          [zh ? "小节" : "sections", left.headings.join(", "), right.headings.join(", ")],
        ],
      );
      const facts = [left, right].map((side) => `${side.title}:\n${side.facts.map((fact) => `- ${fact}`).join("\n")}`);
      return `${table}\n\n${facts.join("\n\n")}`;
    },
  });
}
