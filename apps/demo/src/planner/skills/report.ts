import type { Locale } from "@toolglot/core";
import { type Skill, type Task, task } from "../task.ts";
import { formatNumber, markdownTable, numeral } from "../text.ts";
import { conditions, type Dimension, dimensions, type Measure, measures, source } from "./report-words.ts";

interface Row {
  label: string | null;
  value: number | null;
}

interface Report {
  rows: Row[];
  /** Sum over all rows shown; null where a sum means nothing. */
  total: number | null;
}

/** `How many orders are there by status?` */
export const reportSkill: Skill = {
  id: "report",
  title: { en: "count and sum with SQL", zh: "用 SQL 统计" },
  example: { en: "How many orders are there by status?", zh: "每个月的销售额是多少？" },
  read(question, language) {
    const counts =
      /\b(?:how many|how much|count|number of|total|sum of|average|mean|revenue|sales|turnover|statistics of)\b|多少(?!天)|统计|总数|总额|销售额|营业额|平均|数量|几(?:个|张|笔|位|种)/iu;
    if (!counts.test(question)) return undefined;
    const split = /\b(?:by|per|each|every|for each)\s+(?:\w+\s+)?(\w+)|\b(monthly)\b/i.exec(question);
    const splitZh = /(?:按|每个?|各个?|不同)\s*(\p{Script=Han}{1,4})/u.exec(question);
    const asked = split?.[1] ?? split?.[2] ?? splitZh?.[1];
    const rest =
      asked === undefined
        ? question
        : question.replace(split?.[0] ?? splitZh?.[0] ?? "", splitZh ? (splitZh[1]?.slice(2) ?? "") : "");
    const measure =
      measures.find(({ words }) => words.test(rest)) ?? measures.find(({ words }) => words.test(question));
    if (!measure) return undefined;
    const dimension =
      asked === undefined ? undefined : dimensions.find(({ words, sql }) => words.test(asked) && sql[measure.table]);
    return reportTask("report", { question, measure, dimension, limit: undefined, ascending: false, language });
  },
};

/** `Top 5 products by revenue`. */
export const topSkill: Skill = {
  id: "top",
  title: { en: "rank the largest or smallest", zh: "排名" },
  example: { en: "top 5 products by revenue", zh: "销量最高的 3 种商品" },
  read(question, language) {
    const ranked =
      /\b(?:top|best|biggest|largest|highest|most|lowest|fewest|least|worst)\b|前\s*[\d一二两三四五六七八九十]+|最(?:高|多|大|好|低|少|差|畅销)|排名|排行/iu;
    if (!ranked.test(question)) return undefined;
    const measure =
      measures.find(({ id, words }) => ["average_order", "units", "revenue"].includes(id) && words.test(question)) ??
      measures.find(({ id, words }) => id === "orders" && words.test(question)) ??
      measures.find(({ id }) => id === "revenue");
    const dimension = dimensions.find(({ words, sql }) => words.test(question) && measure && sql[measure.table]);
    if (!measure || !dimension) return undefined;
    const count =
      /\b(?:top|best|first|the)\s+(\d{1,2})\b/i.exec(question)?.[1] ??
      /(?:前|的)\s*([\d一二两三四五六七八九十]{1,3})\s*[个名位种家]?/u.exec(question)?.[1];
    const single = /\b(?:which|what|who)\b.*\b(?:product|customer|city|country|category|month)\b/i.test(question);
    const limit = (count && numeral(count)) || (single ? 1 : 5);
    const ascending = /\b(?:lowest|fewest|least|worst)\b|最(?:低|少|差)/iu.test(question);
    return reportTask("top", { question, measure, dimension, limit: Math.min(limit, 50), ascending, language });
  },
};

interface ReportRequest {
  question: string;
  measure: Measure;
  dimension: Dimension | undefined;
  limit: number | undefined;
  ascending: boolean;
  language: Locale;
}

/** The SQL of a report. */
function reportSql({ question, measure, dimension, limit, ascending, language }: ReportRequest): string {
  const label = (language === "zh" ? dimension?.sqlZh : undefined) ?? dimension?.sql[measure.table] ?? "NULL";
  const where = conditions(question, measure.table);
  const needsLines = measure.lines === true || where.lines || (dimension?.lines === true && measure.table === "orders");
  const order = dimension?.inOrder && limit === undefined ? "label" : `value ${ascending ? "ASC" : "DESC"}, label`;
  return [
    `SELECT ${label} AS label, ${measure.sql} AS value`,
    `FROM ${source(measure.table, needsLines)}`,
    ...(where.sql.length > 0 &&
    !(dimension?.id === "status" && measure.table === "orders" && where.sql.every((sql) => sql.includes("<>")))
      ? [`WHERE ${where.sql.join(" AND ")}`]
      : []),
    ...(dimension ? ["GROUP BY label", `ORDER BY ${order}`] : []),
    ...(limit === undefined ? [] : [`LIMIT ${limit}`]),
  ].join("\n");
}

function reportTask(kind: "report" | "top", request: ReportRequest): Task {
  const { question, measure, dimension, language } = request;
  const zh = language === "zh";
  const sql = reportSql(request);
  const label = measure.label[language];
  const summed = measure.id !== "average_order";
  return task<Report>({
    kind,
    tools: ["query_sql"],
    understanding: zh ? `用户问：“${question}”，要的是${label}。` : `The user asks for ${label}: "${question}".`,
    plan: zh
      ? "一条 SQL 查询就够，合计由结果相加得出。"
      : "One SQL query is enough; the total is added up from its rows.",
    target: zh
      ? `查询${label}${dimension ? `，按${dimension.label.zh}` : ""}`
      : `Query ${label}${dimension ? ` by ${dimension.label.en}` : ""}`,
    code: {
      python: `report = query_sql("""
${sql}
""")
rows = report["rows"]
__result__ = {
    "rows": rows,
    "total": ${summed ? 'sum(row["value"] or 0 for row in rows)' : "None"},
}`,
      javascript: `const { rows } = await query_sql({
  sql: \`
${sql}
\`,
});
__result__ = { rows, total: ${summed ? "rows.reduce((sum, row) => sum + (row.value ?? 0), 0)" : "null"} };`,
    },
    *calls() {
      const [report] = yield [{ name: "query_sql", input: { sql } }];
      const { rows } = report as { rows: Row[] };
      return { rows, total: summed ? rows.reduce((sum, { value }) => sum + (value ?? 0), 0) : null };
    },
    answer({ rows, total }) {
      const money = measure.id === "revenue" || measure.id === "average_order";
      const amount = (value: number): string => `${formatNumber(value)}${money ? (zh ? " 元" : " yuan") : ""}`;
      const first = rows[0];
      if (!first || (rows.length === 1 && first.value === null)) return zh ? "没有符合条件的记录。" : "No record fits.";
      if (!dimension)
        return zh ? `${label}：${amount(first.value ?? 0)}。` : `${capital(label)}: ${amount(first.value ?? 0)}.`;
      const table = markdownTable(
        [dimension.label[language], label],
        rows.map((row) => [row.label, row.value]),
      );
      if (rows.length === 1)
        return zh
          ? `${first.label}，${label} ${amount(first.value ?? 0)}。`
          : `${first.label}, with ${amount(first.value ?? 0)} (${label}).`;
      const sum =
        total === null
          ? ""
          : zh
            ? `\n\n合计 ${amount(total)}。`
            : `\n\n${kind === "top" ? "Together" : "Total"}: ${amount(total)}.`;
      return `${table}${sum}`;
    },
  });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
