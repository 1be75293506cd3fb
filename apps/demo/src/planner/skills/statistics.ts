import { type Skill, task } from "../task.ts";
import { formatNumber, literal } from "../text.ts";
import { conditions } from "./report-words.ts";

interface Numbers {
  count: number;
  mean: number;
  median: number;
  stdev: number;
}

/** `Mean, median and standard deviation of the order totals in September`. */
export const statisticsSkill: Skill = {
  id: "statistics",
  title: { en: "statistics over query results", zh: "对查询结果做统计" },
  example: {
    en: "mean, median and standard deviation of the order totals in September",
    zh: "九月订单金额的平均值、中位数和标准差",
  },
  read(question, language) {
    const wanted = /\b(?:median|standard deviation|stdev|spread)\b|中位数|标准差/iu;
    if (!wanted.test(question) || !/\borders?\b|订单/iu.test(question)) return undefined;
    const zh = language === "zh";
    const sql = `SELECT o.total AS total FROM orders o JOIN customers c ON c.id = o.customer_id WHERE ${conditions(
      question,
      "orders",
    )
      .sql.filter((condition) => !condition.startsWith("p."))
      .join(" AND ")}`;
    return task<Numbers | null>({
      kind: "statistics",
      tools: ["query_sql"],
      understanding: zh ? "用户想知道订单金额的分布。" : "The user wants to know how the order totals are distributed.",
      plan: zh ? "用 SQL 取出金额，再计算统计量。" : "Take the totals with SQL, then compute.",
      target: zh ? "计算订单金额的统计量" : "Compute statistics of order totals",
      code: {
        python: `rows = query_sql(${literal(sql)}, limit=200)["rows"]
totals = [row["total"] for row in rows]
__result__ = None
if len(totals) > 1:
    __result__ = {
        "count": len(totals),
        "mean": round(statistics.mean(totals), 2),
        "median": round(statistics.median(totals), 2),
        "stdev": round(statistics.stdev(totals), 2),
    }`,
        javascript: `${summaryProgram(["mean", "median", "stdev"])}
const { rows } = await query_sql({ sql: ${literal(sql)}, limit: 200 });
const totals = rows.map((row) => row.total);
__result__ = null;
if (totals.length > 1) {
  __result__ = {
    count: totals.length,
    mean: cents(mean(totals)),
    median: cents(median(totals)),
    stdev: cents(stdev(totals)),
  };
}`,
      },
      *calls() {
        const [result] = yield [{ name: "query_sql", input: { sql, limit: 200 } }];
        return summary((result as { rows: { total: number }[] }).rows.map(({ total }) => total));
      },
      answer(numbers) {
        if (!numbers) return zh ? "订单太少，算不出统计量。" : "There are too few orders for statistics.";
        const { count, mean, median, stdev } = numbers;
        return zh
          ? `共 ${count} 张订单：平均 ${formatNumber(mean)} 元，中位数 ${formatNumber(median)} 元，标准差 ${formatNumber(stdev)} 元。`
          : `${count} orders: mean ${formatNumber(mean)} yuan, median ${formatNumber(median)} yuan, standard deviation ${formatNumber(stdev)} yuan.`;
      },
    });
  },
};

/** Mean, median and sample standard deviation, rounded to cents; null for fewer than two numbers. */
export function summary(values: readonly number[]): Numbers | null {
  if (values.length < 2) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  const cents = (value: number): number => Math.round(value * 100) / 100;
  return { count: values.length, mean: cents(mean), median: cents(median), stdev: cents(Math.sqrt(variance)) };
}

const lines = {
  mean: "const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;",
  median: `const median = (list) => {
  const sorted = [...list].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};`,
  stdev: `const stdev = (list) => {
  const center = mean(list);
  return Math.sqrt(list.reduce((sum, value) => sum + (value - center) ** 2, 0) / (list.length - 1));
};`,
};

/** The functions that a JavaScript program needs for some statistics: the language has none of them. */
export function summaryProgram(wanted: readonly (keyof typeof lines)[]): string {
  const names = wanted.includes("stdev") ? new Set(["mean" as const, ...wanted]) : new Set(wanted);
  return [...[...names].map((name) => lines[name]), "const cents = (value) => Number(value.toFixed(2));"].join("\n");
}
