import type { Locale } from "@toolglot/core";

/** Something that can be counted or summed, as SQL over the joined tables of {@link source}. */
export interface Measure {
  id: string;
  words: RegExp;
  sql: string;
  label: Record<Locale, string>;
  /** Needs the order's lines: sums of order totals would count orders once per line. */
  lines?: true;
  /** Only over this table. */
  table: "orders" | "customers" | "products" | "tickets" | "refunds";
}

/** The first that fits is taken. */
export const measures: readonly Measure[] = [
  {
    id: "average_order",
    words: /\b(?:average|mean) order|order value|平均订单|客单价/iu,
    sql: "ROUND(AVG(o.total), 2)",
    label: { en: "average order", zh: "平均订单金额" },
    table: "orders",
  },
  {
    id: "units",
    words: /\b(?:units|pieces|quantity|best[- ]?selling|bestsellers?)\b|销量|件数|畅销/iu,
    sql: "SUM(i.quantity)",
    label: { en: "units", zh: "销量" },
    lines: true,
    table: "orders",
  },
  {
    id: "revenue",
    words: /\b(?:revenue|sales|turnover|sold|spend\w*|spent|spenders?)\b|销售额|营业额|收入|消费|花费/iu,
    sql: "SUM(i.quantity * i.unit_price)",
    label: { en: "revenue", zh: "销售额" },
    lines: true,
    table: "orders",
  },
  {
    id: "tickets",
    words: /\btickets?\b|工单/iu,
    sql: "COUNT(*)",
    label: { en: "tickets", zh: "工单数" },
    table: "tickets",
  },
  {
    id: "refunds",
    words: /\brefunds?\b|退款/iu,
    sql: "COUNT(*)",
    label: { en: "refunds", zh: "退款数" },
    table: "refunds",
  },
  {
    id: "orders",
    words: /\borders?\b|订单/iu,
    sql: "COUNT(DISTINCT o.id)",
    label: { en: "orders", zh: "订单数" },
    table: "orders",
  },
  {
    id: "customers",
    words: /\b(?:customers?|members?)\b|客户|会员/iu,
    sql: "COUNT(*)",
    label: { en: "customers", zh: "客户数" },
    table: "customers",
  },
  {
    id: "products",
    words: /\b(?:products?|items?)\b|商品|产品/iu,
    sql: "COUNT(*)",
    label: { en: "products", zh: "商品数" },
    table: "products",
  },
];

/** Something results can be split by. */
export interface Dimension {
  id: string;
  words: RegExp;
  /** By table of the measure; a table that is missing can't be split this way. */
  sql: Partial<Record<Measure["table"], string>>;
  /** The Chinese names, where the data has them. */
  sqlZh?: string;
  label: Record<Locale, string>;
  lines?: true;
  /** Rows come in this order instead of the largest first. */
  inOrder?: true;
}

const month = (column: string): string => `substr(${column}, 1, 7)`;

/** Looked for after `by`, `per`, `each`, and in front of a measure in Chinese. */
export const dimensions: readonly Dimension[] = [
  {
    id: "month",
    words: /month|monthly|月/iu,
    sql: {
      orders: month("o.ordered_on"),
      refunds: month("r.requested_on"),
      customers: month("c.joined_on"),
      tickets: month("t.created_at"),
    },
    label: { en: "month", zh: "月份" },
    inOrder: true,
  },
  {
    id: "status",
    words: /status|state|状态/iu,
    sql: { orders: "o.status", tickets: "t.status" },
    label: { en: "status", zh: "状态" },
  },
  {
    id: "city",
    words: /cit(?:y|ies)|城市/iu,
    sql: { orders: "c.city", customers: "c.city" },
    label: { en: "city", zh: "城市" },
  },
  {
    id: "country",
    words: /countr(?:y|ies)|国家/iu,
    sql: { orders: "c.country", customers: "c.country" },
    label: { en: "country", zh: "国家" },
  },
  {
    id: "tier",
    words: /tiers?|等级|级别/iu,
    sql: { orders: "c.tier", customers: "c.tier" },
    label: { en: "tier", zh: "会员等级" },
  },
  {
    id: "category",
    words: /categor(?:y|ies)|类别|品类|分类/iu,
    sql: { orders: "p.category", products: "p.category" },
    label: { en: "category", zh: "类别" },
    lines: true,
  },
  {
    id: "priority",
    words: /priorit(?:y|ies)|优先级/iu,
    sql: { tickets: "t.priority" },
    label: { en: "priority", zh: "优先级" },
  },
  { id: "reason", words: /reasons?|原因/iu, sql: { refunds: "r.reason" }, label: { en: "reason", zh: "原因" } },
  {
    id: "product",
    words: /products?|items?|best[- ]?sell|商品|产品|畅销/iu,
    sql: { orders: "p.name" },
    sqlZh: "p.name_zh",
    label: { en: "product", zh: "商品" },
    lines: true,
  },
  {
    id: "customer",
    words: /customers?|spenders?|members?|客户|会员/iu,
    sql: { orders: "c.name" },
    label: { en: "customer", zh: "客户" },
  },
];

const months = "january february march april may june july august september october november december".split(" ");

/** Conditions a request names: months, statuses, tiers, categories, countries. SQL for the measure's table. */
export function conditions(question: string, table: Measure["table"]): { sql: string[]; lines: boolean } {
  const text = question.toLowerCase();
  const found: string[] = [];
  let lines = false;
  const dates = {
    orders: "o.ordered_on",
    refunds: "r.requested_on",
    customers: "c.joined_on",
    tickets: "t.created_at",
    products: undefined,
  }[table];
  const number = monthNumber(text);
  if (dates && number) found.push(`substr(${dates}, 6, 2) = '${String(number).padStart(2, "0")}'`);
  if (table === "orders") {
    const status = match(text, statuses);
    found.push(status ? `o.status = '${status}'` : "o.status <> 'cancelled'");
  }
  if (table === "tickets") {
    const status = match(text, { open: /\bopen\b|未关闭|未完成|打开|待处理/u, closed: /\bclosed\b|已关闭/u });
    if (status) found.push(`t.status = '${status}'`);
  }
  if (table === "orders" || table === "customers") {
    const tier = match(text, {
      gold: /\bgold\b|金卡/u,
      silver: /\bsilver\b|银卡/u,
      standard: /\bstandard (?:members?|customers?|tier)\b|普通会员/u,
    });
    if (tier) found.push(`c.tier = '${tier}'`);
    const country = match(text, {
      China: /\bchina\b|chinese|中国/u,
      Germany: /\bgerman\w*|德国/u,
      Italy: /\bital\w+|意大利/u,
      France: /\bfrance\b|french|法国/u,
      Sweden: /\bsweden\b|swedish|瑞典/u,
    });
    if (country) found.push(`c.country = '${country}'`);
  }
  const category = match(text, {
    tents: /\btents?\b|帐篷/u,
    sleeping: /\bsleeping\b|睡袋/u,
    backpacks: /\bbackpacks?\b|背包/u,
    stoves: /\bstoves?\b|炉/u,
    lighting: /\blighting\b|照明|灯/u,
    clothing: /\bclothing\b|clothes|服装/u,
  });
  if (category && (table === "orders" || table === "products")) {
    found.push(`p.category = '${category}'`);
    lines = true;
  }
  return { sql: found, lines };
}

const statuses: Record<string, RegExp> = {
  processing: /\bprocessing\b|处理中/u,
  shipped: /\bshipped\b|in transit|运输中|已发货|在途/u,
  delivered: /\bdelivered\b|已送达|已签收/u,
  returned: /\breturned\b|已退货|被退回|退货订单/u,
  cancelled: /\bcancell?ed\b|已取消|取消的/u,
};

function match(text: string, words: Record<string, RegExp>): string | undefined {
  return Object.keys(words).find((word) => words[word]?.test(text));
}

function monthNumber(text: string): number | undefined {
  const named = months.findIndex((name) => new RegExp(`\\b${name}\\b`).test(text.replace(/\bmay (?:i|we|a)\b/g, "")));
  if (named >= 0) return named + 1;
  const numbered = /(?<!\d)(1[0-2]|[1-9])\s*月(?!份?数)/u.exec(text)?.[1];
  if (numbered) return Number(numbered);
  const written = /(十[一二]?|[一二三四五六七八九])月/u.exec(text)?.[1];
  if (!written) return undefined;
  return written.startsWith("十") ? 10 + " 一二".indexOf(written[1] ?? " ") : "零一二三四五六七八九".indexOf(written);
}

/** The tables a report reads. */
export function source(table: Measure["table"], lines: boolean): string {
  switch (table) {
    case "orders":
      return `orders o JOIN customers c ON c.id = o.customer_id${lines ? " JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id" : ""}`;
    case "customers":
      return "customers c";
    case "products":
      return "products p";
    case "tickets":
      return "tickets t";
    case "refunds":
      return "refunds r";
  }
}
