import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPlanner } from "../src/planner/planner.ts";
import { runQuestion } from "./support/agent.ts";
import { openShop } from "./support/shop.ts";

const { session, rows } = openShop();

/** Everything that a request could change. */
const effects = (): Record<string, unknown>[] =>
  rows(
    "SELECT (SELECT COUNT(*) FROM tickets) AS tickets, (SELECT COUNT(*) FROM orders) AS orders, (SELECT COUNT(*) FROM refunds) AS refunds, (SELECT COUNT(*) FROM notifications) AS sent",
  );

interface Told {
  text: string;
  declined: boolean;
}

/** "Last week" is counted from a day within the data. */
const now = (): Date => new Date("2026-10-21T12:00:00Z");

async function ask(question: string): Promise<Told> {
  let declined = false;
  const model = createPlanner({
    now,
    onDecline: () => {
      declined = true;
    },
  });
  const { result } = await runQuestion(session, question, { model, protocol: "native" });
  expect(result.error).toBeUndefined();
  expect(result.text).not.toMatch(/Error\b|Traceback|undefined|NaN|\[object/);
  return { text: result.text, declined };
}

/** A value as answers write it, whole: 5 is not in 15, nor 1,000 in 11,000. */
function standsIn(text: string, value: unknown): boolean {
  const written =
    typeof value === "number" ? value.toLocaleString("en-US", { maximumFractionDigits: 2 }) : String(value);
  const at = (from: number): boolean => {
    const found = text.indexOf(written, from);
    if (found < 0) return false;
    const before = text.slice(0, found);
    const after = text.slice(found + written.length);
    const whole = typeof value !== "number" || !(/[\d,.]$/.test(before) || /^(?:\d|[,.]\d)/.test(after));
    return whole || at(found + 1);
  };
  return at(0);
}

const items =
  "order_items i JOIN orders o ON o.id = i.order_id JOIN products p ON p.id = i.product_id JOIN customers c ON c.id = o.customer_id";
const byCustomer = "orders o JOIN customers c ON c.id = o.customer_id";
const kept = "o.status <> 'cancelled'";
const of = (name: string): string => `c.name = '${name}'`;

/** Requests whose answer must hold every value of a query that was written without the planner. */
const answered: [question: string, sql: string][] = [
  ["how many orders did Marta Rossi place?", `SELECT COUNT(*) FROM ${byCustomer} WHERE ${of("Marta Rossi")}`],
  [
    "compare revenue in July and August",
    `SELECT SUM(total) FROM orders o WHERE ${kept} AND ordered_on LIKE '2026-07%' UNION ALL SELECT SUM(total) FROM orders o WHERE ${kept} AND ordered_on LIKE '2026-08%'`,
  ],
  [
    "how many orders did Marta Rossi place in September?",
    `SELECT COUNT(*) FROM ${byCustomer} WHERE ${of("Marta Rossi")} AND ordered_on LIKE '2026-09%'`,
  ],
  ["how many orders in 2024?", "SELECT 0, MIN(ordered_on), MAX(ordered_on) FROM orders"],
  [
    "how many orders were placed last week?",
    "SELECT COUNT(*) FROM orders WHERE ordered_on BETWEEN '2026-10-12' AND '2026-10-18'",
  ],
  ["how many orders since August?", "SELECT COUNT(*) FROM orders WHERE ordered_on >= '2026-08-01'"],
  ["orders before 2026-05-12", "SELECT id FROM orders WHERE ordered_on < '2026-05-12'"],
  ["how many gold customers are there?", "SELECT COUNT(*) FROM customers WHERE tier = 'gold'"],
  ["how many customers are in Germany?", "SELECT COUNT(*) FROM customers WHERE country = 'Germany'"],
  ["customers from Munich", "SELECT name FROM customers WHERE city = 'Munich'"],
  ["show all customers", "SELECT name, city FROM customers"],
  ["the last five orders", "SELECT id FROM orders ORDER BY ordered_on DESC, id DESC LIMIT 5"],
  [
    "the last order of Wang Fang",
    `SELECT o.id, o.total FROM ${byCustomer} WHERE ${of("Wang Fang")} ORDER BY ordered_on DESC LIMIT 1`,
  ],
  ["sum of the orders in June", `SELECT SUM(total) FROM orders o WHERE ${kept} AND ordered_on LIKE '2026-06%'`],
  ["number of orders in June", "SELECT COUNT(*) FROM orders WHERE ordered_on LIKE '2026-06%'"],
  [
    "average order value in June",
    `SELECT ROUND(AVG(total), 2) FROM orders o WHERE ${kept} AND ordered_on LIKE '2026-06%'`,
  ],
  [
    "how many late orders did Sun Xiaoyu have?",
    `SELECT COUNT(*) FROM ${byCustomer} WHERE ${of("Sun Xiaoyu")} AND delivered_on > promised_on`,
  ],
  [
    "which country has the most customers?",
    "SELECT country, COUNT(*) FROM customers GROUP BY country ORDER BY 2 DESC LIMIT 1",
  ],
  [
    "which month had the highest revenue?",
    `SELECT substr(ordered_on, 1, 7), SUM(total) FROM orders o WHERE ${kept} GROUP BY 1 ORDER BY 2 DESC LIMIT 1`,
  ],
  ["revenue by country", `SELECT country, SUM(total) FROM ${byCustomer} WHERE ${kept} GROUP BY country`],
  [
    "revenue of tents in August",
    `SELECT SUM(quantity * unit_price) FROM ${items} WHERE ${kept} AND category = 'tents' AND ordered_on LIKE '2026-08%'`,
  ],
  [
    "how many tents did Marta Rossi order?",
    `SELECT SUM(quantity) FROM ${items} WHERE ${kept} AND category = 'tents' AND ${of("Marta Rossi")}`,
  ],
  ["how many tents are in stock?", "SELECT SUM(stock) FROM products WHERE category = 'tents'"],
  ["how many Ridge 2 tents were sold?", `SELECT SUM(quantity) FROM ${items} WHERE ${kept} AND p.name = 'Ridge 2 tent'`],
  [
    "how many units of the Ember gas stove did we sell in July?",
    `SELECT SUM(quantity) FROM ${items} WHERE ${kept} AND p.name = 'Ember gas stove' AND ordered_on LIKE '2026-07%'`,
  ],
  ["what tickets are open?", "SELECT id, title FROM tickets WHERE status = 'open'"],
  [
    "how many high priority tickets are open?",
    "SELECT COUNT(*) FROM tickets WHERE status = 'open' AND priority = 'high'",
  ],
  ["refunds in August", "SELECT id, amount FROM refunds WHERE requested_on LIKE '2026-08%'"],
  ["how much did we refund in June?", "SELECT SUM(amount) FROM refunds WHERE requested_on LIKE '2026-06%'"],
  ["total refunds by reason", "SELECT reason, COUNT(*), SUM(amount) FROM refunds GROUP BY reason"],
  ["the most expensive product", "SELECT sku, price FROM products ORDER BY price DESC LIMIT 1"],
  ["the 3 cheapest products", "SELECT sku, price FROM products ORDER BY price LIMIT 3"],
  ["which products cost more than 1000 yuan?", "SELECT sku FROM products WHERE price > 1000"],
  ["products with fewer than 12 units in stock", "SELECT sku, stock FROM products WHERE stock < 12"],
  ["orders over 5000 yuan", "SELECT id, total FROM orders WHERE total > 5000"],
  ["customers who joined in 2025", "SELECT name FROM customers WHERE joined_on LIKE '2025%'"],
  [
    "how many customers ordered in July?",
    "SELECT COUNT(DISTINCT customer_id) FROM orders WHERE ordered_on LIKE '2026-07%'",
  ],
  ["which products did Marta Rossi buy?", `SELECT DISTINCT sku FROM ${items} WHERE ${of("Marta Rossi")}`],
  [
    "how much did gold customers spend in August?",
    `SELECT SUM(total) FROM ${byCustomer} WHERE ${kept} AND tier = 'gold' AND ordered_on LIKE '2026-08%'`,
  ],
  [
    "revenue from Germany and France",
    `SELECT country, SUM(total) FROM ${byCustomer} WHERE ${kept} AND country IN ('Germany', 'France') GROUP BY country`,
  ],
  [
    "compare Marta Rossi and Luca Bianchi by revenue",
    `SELECT c.name, SUM(total) FROM ${byCustomer} WHERE ${kept} AND c.name IN ('Marta Rossi', 'Luca Bianchi') GROUP BY c.name`,
  ],
  ["how many shipped orders are there?", "SELECT COUNT(*) FROM orders WHERE status = 'shipped'"],
  ["how many orders were delivered in September?", "SELECT COUNT(*) FROM orders WHERE delivered_on LIKE '2026-09%'"],
  [
    "how many orders of customer 15 were late?",
    "SELECT COUNT(*) FROM orders WHERE customer_id = 15 AND delivered_on > promised_on",
  ],
  [
    "top 3 customers in China by revenue",
    `SELECT c.name, SUM(total) FROM ${byCustomer} WHERE ${kept} AND country = 'China' GROUP BY c.id ORDER BY 2 DESC LIMIT 3`,
  ],
  [
    "best-selling product in September",
    `SELECT p.name, SUM(quantity) FROM ${items} WHERE ${kept} AND ordered_on LIKE '2026-09%' GROUP BY p.id ORDER BY 2 DESC LIMIT 1`,
  ],
  ["what is the status of order 1042?", "SELECT status, delivered_on FROM orders WHERE id = 1042"],
  ["refund of order 1047", "SELECT id, amount FROM refunds WHERE order_id = 1047"],
  [
    "select count(*) as n from orders where status = 'returned'",
    "SELECT COUNT(*) FROM orders WHERE status = 'returned'",
  ],
  [
    "how many orders between July and August?",
    "SELECT COUNT(*) FROM orders WHERE ordered_on BETWEEN '2026-07-01' AND '2026-08-31'",
  ],
  [
    "median order value in Germany",
    `SELECT AVG(total) FROM (SELECT total, ROW_NUMBER() OVER (ORDER BY total) AS n, COUNT(*) OVER () AS k FROM ${byCustomer} WHERE ${kept} AND country = 'Germany') WHERE n IN ((k + 1) / 2, (k + 2) / 2)`,
  ],
  [
    "median order value by month",
    `SELECT substr(ordered_on, 1, 7), ROUND(median(total), 2) FROM orders o WHERE ${kept} GROUP BY 1`,
  ],
  [
    "top 3 cities by number of orders",
    `SELECT city, COUNT(*) FROM ${byCustomer} GROUP BY city ORDER BY 2 DESC LIMIT 3`,
  ],
  [
    "orders by Marta Rossi in June",
    `SELECT o.id FROM ${byCustomer} WHERE ${of("Marta Rossi")} AND ordered_on LIKE '2026-06%'`,
  ],
  [
    "average order value of gold customers",
    `SELECT ROUND(AVG(total), 2) FROM ${byCustomer} WHERE ${kept} AND tier = 'gold'`,
  ],
  ["orders since last week", "SELECT id FROM orders WHERE ordered_on >= '2026-10-12'"],
  ["Marta Rossi 有几张订单？", `SELECT COUNT(*) FROM ${byCustomer} WHERE ${of("Marta Rossi")}`],
  [
    "Wang Fang 七月有几张订单？",
    `SELECT COUNT(*) FROM ${byCustomer} WHERE ${of("Wang Fang")} AND ordered_on LIKE '2026-07%'`,
  ],
  ["有多少张订单？", "SELECT COUNT(*) FROM orders"],
  ["德国客户的销售额", `SELECT SUM(total) FROM ${byCustomer} WHERE ${kept} AND country = 'Germany'`],
  [
    "比较七月和八月的销售额",
    `SELECT SUM(total) FROM orders o WHERE ${kept} AND ordered_on LIKE '2026-07%' UNION ALL SELECT SUM(total) FROM orders o WHERE ${kept} AND ordered_on LIKE '2026-08%'`,
  ],
  ["2024年有多少张订单？", "SELECT 0, MIN(ordered_on), MAX(ordered_on) FROM orders"],
  ["上周有多少张订单？", "SELECT COUNT(*) FROM orders WHERE ordered_on BETWEEN '2026-10-12' AND '2026-10-18'"],
  ["八月以来有多少订单？", "SELECT COUNT(*) FROM orders WHERE ordered_on >= '2026-08-01'"],
  ["最近五张订单", "SELECT id FROM orders ORDER BY ordered_on DESC, id DESC LIMIT 5"],
  ["金卡客户有多少？", "SELECT COUNT(*) FROM customers WHERE tier = 'gold'"],
  [
    "帐篷八月卖了多少件？",
    `SELECT SUM(quantity) FROM ${items} WHERE ${kept} AND category = 'tents' AND ordered_on LIKE '2026-08%'`,
  ],
  ["山脊双人帐篷卖了多少件？", `SELECT SUM(quantity) FROM ${items} WHERE ${kept} AND p.name_zh = '山脊双人帐篷'`],
  ["库存少于12件的商品", "SELECT sku, stock FROM products WHERE stock < 12"],
  ["金额超过5000元的订单", "SELECT id FROM orders WHERE total > 5000"],
  ["2025年加入的客户", "SELECT name FROM customers WHERE joined_on LIKE '2025%'"],
  [
    "哪个客户消费最多？",
    `SELECT c.name, SUM(total) FROM ${byCustomer} WHERE ${kept} GROUP BY c.id ORDER BY 2 DESC LIMIT 1`,
  ],
  ["米兰的客户有哪些？", "SELECT name FROM customers WHERE city = 'Milan'"],
  ["迟到的订单有多少？", "SELECT COUNT(*) FROM orders WHERE delivered_on > promised_on"],
  ["已取消的订单有几张？", "SELECT COUNT(*) FROM orders WHERE status = 'cancelled'"],
  ["九月每个城市的订单数量", `SELECT city, COUNT(*) FROM ${byCustomer} WHERE ordered_on LIKE '2026-09%' GROUP BY city`],
  ["六月订单总额", `SELECT SUM(total) FROM orders o WHERE ${kept} AND ordered_on LIKE '2026-06%'`],
  ["平均订单金额是多少？", `SELECT ROUND(AVG(total), 2) FROM orders o WHERE ${kept}`],
  ["高优先级的工单", "SELECT id, title FROM tickets WHERE priority = 'high'"],
  ["订单1042什么时候送达？", "SELECT delivered_on FROM orders WHERE id = 1042"],
  ["执行 SELECT COUNT(*) AS n FROM refunds", "SELECT COUNT(*) FROM refunds"],
  ["金卡客户有几张订单？", `SELECT COUNT(*) FROM ${byCustomer} WHERE tier = 'gold'`],
  [
    "金卡客户的退款金额",
    `SELECT SUM(amount) FROM refunds r JOIN orders o ON o.id = r.order_id JOIN customers c ON c.id = o.customer_id WHERE tier = 'gold'`,
  ],
  [
    "who ordered tents in July?",
    `SELECT DISTINCT c.name FROM ${items} WHERE category = 'tents' AND ordered_on LIKE '2026-07%'`,
  ],
  ["the largest order of gold customers", `SELECT o.id, MAX(total) FROM ${byCustomer} WHERE tier = 'gold'`],
];

/** Requests that the documents answer. */
const quoted: [question: string, said: string][] = [
  ["How long is the warranty on tents?", "36 months"],
  ["what is the return policy for gold members?", "60 days"],
  ["how long do refunds take?", "within 10 days"],
  ["Does the warranty cover falls?", "What it does not cover"],
  ["when is stock checked?", "every Monday"],
  ["read the document returns", "flat 12 yuan"],
  ["which documents are there?", "16 documents"],
  ["帐篷保修多久？", "36 个月"],
  ["金卡会员多少天内可以退货？", "60 天"],
  ["有哪些文档？", "16 篇"],
];

describe("a question that the documents can't answer", () => {
  it.each([
    ['Which of our documents mention "lantern"?', "battery-safety"],
    ["Which documents mention “warranty”?", "warranty"],
    ["哪些文档提到“保修”？", "zh-warranty"],
    ['does anything mention "apology"?', "refunds"],
  ])("is not %j: what is quoted is looked for, and no word of the question", async (question, said) => {
    const { text, declined: no } = await ask(question);
    expect([no, text]).toEqual([
      false,
      expect.stringContaining(`(${said})`.replace("(zh-", "（zh-").replace(/(zh-\w+)\)/, "$1）")),
    ]);
  });

  it.each([
    "when will order 1042 arrive at the moon?",
    "which tables are there?",
    "what is in ticket 3 about dragons?",
    "订单 1042 为什么是蓝色的？",
    "数据库里有哪些数据表？",
  ])("is %j, which names a record or a table: the documents are not asked", async (question) => {
    const { text, declined: yes } = await ask(question);
    expect(yes).toBe(true);
    expect(text).not.toMatch(/document|文档/);
  });

  it.each(["what does membership get me at work?", 'which documents mention "unicorns"?', "how do dragons pay?"])(
    "is %j, of which is said only what was looked for",
    async (question) => {
      const { text, declined: yes } = await ask(question);
      expect(yes).toBe(true);
      expect(text).toMatch(/^I searched the documents and found (?:nothing on|no passage with all of) /);
      expect(text).not.toMatch(/No document/);
    },
  );
});

/** Requests of which something can't be understood or done: nothing is, and the answer names it. */
const declined: [question: string, named: string][] = [
  ["do you ship to Germany?", "Germany"],
  ["how many orders did Marta Smith place?", "Marta Smith"],
  ["how many orders without refunds?", "without"],
  ["how many orders are not delivered?", "not"],
  ["orders from Spain", "Spain"],
  ["revenue in Q3 2026", "Q3"],
  ["revenue per order", "per"],
  ["orders from July on", "July on"],
  ["customers who spent more than 5000 yuan", "more than 5000"],
  ["which month had the highest and the lowest revenue?", "lowest"],
  ["the first and the last order of Wang Fang", "first"],
  ["how many orders over 1000 and under 3000 yuan?", "under 3000"],
  ["the top 3 gold customers by revenue in July and the top 5 products", "5"],
  ["first order of each customer", "first"],
  ["how many orders did Anna place?", "Anna"],
  ["how many orders did we get in the blue moon?", "blue moon"],
  ["average number of orders per customer", "average number of orders"],
  ["orders with more than 3 tents", "more than 3 tents"],
  ["the largest median order value", "largest"],
  ["show orders 1042 and 1043", "and 1043"],
  ["how many customers in July?", "July"],
  ["is there a student discount?", "student"],
  ["summarise the pricing policy", "pricing"],
  ["open a ticket about the late order and email Marta", "email Marta"],
  ["delete ticket 1 and open a ticket about it", "open a ticket"],
  ["delete all tickets", "all tickets"],
  ["open an urgent ticket about the cellar, with low priority", "low priority"],
  ["search the project for padStart", "padStart"],
  ["standard deviation of 3, 5 and 10", "3"],
  ["what is 2^10?", "^"],
  ["给王芳开一张关于灯的工单", "王芳"],
  ["export the orders of Marta Rossi", "Marta Rossi"],
  ["show order 1042 and delete it", "delete it"],
  ["tell me the revenue in July and email it to Anna", "email it to Anna"],
  ["how many orders did Marta Rossi place last summer?", "last summer"],
  ["show products in stock 5", "5"],
  ["how many orders on 2026-02-31?", "2026-02-31"],
  ["revenue in 2026-13", "2026-13"],
  ["can I cancel an order?", "cancel"],
  ["可以取消订单吗？", "取消"],
  ["write me a poem", "poem"],
  ["王芳有几张订单？", "王芳"],
  ["不是德国的客户有多少？", "不是"],
  ["有学生折扣吗？", "学生"],
  ["你们发货到德国吗？", "德国"],
  ["开一张工单说灯坏了，然后删除订单1003", "删除订单1003"],
  ["导出八月的订单", "八月"],
];

/** Words that narrow a question: a name, a date, a state, a table, a number. */
const narrowing =
  /[A-Z][a-z]+ [A-Z]|\b(?:Anna|Wang|Germany|German|France|China|Munich|Spain|Ridge|Ember|January|May|June|July|August|September|Q3|last|since|before|between|gold|late|shipped|delivered|open|high|tents?|joined|more|fewer|over|sum|number|average|median|without|not|top|order \d|customer \d)\b|\d{4}|[一二三四五六七八九]月|上周|德国|米兰|金卡|帐篷|库存|超过|加入|迟到|取消|平均|总额|高优先级|最近|订单1042|不是|王芳/;

it("should be a hundred requests in two languages, sixty of them with a word that narrows, sixty answered", () => {
  const all = [...answered, ...quoted, ...declined].map(([question]) => question);
  expect(new Set(all).size).toBe(all.length);
  expect(all.length).toBeGreaterThanOrEqual(100);
  expect(all.filter((question) => narrowing.test(question)).length).toBeGreaterThanOrEqual(60);
  expect(all.filter((question) => /\p{Script=Han}/u.test(question)).length).toBeGreaterThanOrEqual(30);
  expect(answered.length).toBeGreaterThanOrEqual(60);
});

it.each(answered)("should answer %j with what the data says", async (question, sql) => {
  const before = effects();
  const { text, declined: no } = await ask(question);
  expect([no, text]).toEqual([false, text]);
  for (const row of rows(sql))
    for (const value of Object.values(row))
      expect(told(text, value) ? "told" : `${value} is not in: ${text}`).toBe("told");
  expect(effects()).toEqual(before);
});

/** Words of the shop are told in the language of the answer. */
function told(text: string, value: unknown): boolean {
  return (
    standsIn(text, value) || (typeof value === "number" && Number.isInteger(value) && standsIn(text, String(value)))
  );
}

it.each(quoted)("should answer %j out of the documents", async (question, said) => {
  const { text, declined: no } = await ask(question);
  expect(no).toBe(false);
  expect(text).toContain(said);
});

it.each(declined)("should decline %j whole, and name what it could not use", async (question, named) => {
  const before = effects();
  const { text, declined: yes } = await ask(question);
  expect([yes, text]).toEqual([true, text]);
  expect(text).toContain(named);
  // Nothing that could be taken for the answer.
  for (const number of text.match(/\d+/g) ?? []) expect(question).toContain(number);
  expect(effects()).toEqual(before);
});

describe("tickets", () => {
  it.each([
    ["给王芳开一张工单，说她的订单迟到了", "王芳", "她的订单迟到了", "normal"],
    ["给王芳开一张高优先级工单：她的订单1139迟到了", "王芳", "她的订单1139迟到了", "high"],
    ["open a ticket for Marta Rossi: her order is late", "Marta Rossi", "her order is late", "normal"],
    [
      "open a ticket for Marta Rossi saying that her order 1105 came late, with high priority",
      "Marta Rossi",
      "her order 1105 came late",
      "high",
    ],
    ["open a ticket about the high water in the cellar", undefined, "the high water in the cellar", "normal"],
  ])("should tell who %j is for from what it says", async (question, who, said, priority) => {
    const before = Number(effects()[0]?.tickets);
    await ask(question);
    expect(effects()[0]?.tickets).toBe(before + 1);
    const [ticket] = rows("SELECT title, body, priority FROM tickets ORDER BY id DESC LIMIT 1");
    expect(ticket).toMatchObject({ title: said, priority });
    if (who === undefined) expect(ticket?.body).toBe(said);
    else expect(String(ticket?.body).split("\n")).toEqual([expect.stringContaining(who), said]);
    rows("DELETE FROM tickets WHERE id = (SELECT MAX(id) FROM tickets) RETURNING id");
  });
});

it("should answer a query with a mistake in words", async () => {
  const { text } = await ask("SELECT colour FROM orders");
  expect(text).toMatch(/no such column: colour/);
});

/** Known questions with one place for a word that narrows, and what the number is without it. */
const frames = [
  {
    question: (word: string) => `how many orders did ${word} place?`,
    sql: (where: string) => `SELECT COUNT(*) AS n FROM ${byCustomer} WHERE ${where}`,
  },
  {
    question: (word: string) => `how much did ${word} spend?`,
    sql: (where: string) => `SELECT COALESCE(SUM(total), 0) AS n FROM ${byCustomer} WHERE ${kept} AND ${where}`,
  },
  {
    question: (word: string) => `${word} 有几张订单？`,
    sql: (where: string) => `SELECT COUNT(*) AS n FROM ${byCustomer} WHERE ${where}`,
  },
];

const unknown = fc.constantFrom(
  "Zorblax",
  "Marta Smith",
  "Quentin Vale",
  "the robots",
  "warehouse seven",
  "Atlantis",
  "my aunt",
  "nobody",
  "O'Hara",
  "张三丰",
  "王小明",
  "%",
  "Rossi Marta Bianchi",
);
const qualifier = fc.constantFrom(
  "on Sundays",
  "in Spain",
  "by fax",
  "per weekday",
  "without vouchers",
  "not from Germany",
  "except July",
  "for my sister",
  "with a gift card",
  "twice",
  "in cash",
  "paid late by card",
  "shipped by air",
  "during the strike",
  "at night",
);
const base = fc.constantFrom(
  "how many orders are there",
  "how many orders did Marta Rossi place",
  "total revenue in August",
  "how many gold customers are there",
  "average order value",
  "revenue by country",
  "top 5 products by revenue",
  "show the refunds",
  "how many tents were sold in July",
  "list the open tickets",
);
const runs = rounds(25, 200);

it("should decline by name whatever name the data does not have", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...frames), unknown, async ({ question }, word) => {
      const { text, declined: yes } = await ask(question(word));
      const named = word.split(/\s+/).some((part) => text.includes(part));
      expect([yes, named || word === "%", text]).toEqual([true, true, text]);
    }),
    { numRuns: runs },
  );
}, 120_000);

it("should give each customer's own number, and each country's", async () => {
  const names = rows(
    "SELECT name AS value, 'c.name' AS col FROM customers UNION ALL SELECT DISTINCT country, 'c.country' FROM customers WHERE country NOT IN ('China')",
  ) as { value: string; col: string }[];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...frames),
      fc.constantFrom(...names.filter(({ col }) => col === "c.name")),
      async ({ question, sql }, { value, col }) => {
        const { text } = await ask(question(value));
        expect([standsIn(text, rows(sql(`${col} = '${value}'`))[0]?.n), text]).toEqual([true, text]);
      },
    ),
    { numRuns: runs },
  );
}, 120_000);

it("should decline a known question with one more qualifier that it can't use, and name that", async () => {
  await fc.assert(
    fc.asyncProperty(base, qualifier, async (known, extra) => {
      const before = effects();
      const { text, declined: yes } = await ask(`${known} ${extra}?`);
      expect([yes, text]).toEqual([true, text]);
      const words = extra.split(" ").filter((word) => !/^(?:on|in|by|per|for|with|a|from|at|the)$/.test(word));
      expect([words.some((word) => text.includes(word)), text]).toEqual([true, text]);
      expect(effects()).toEqual(before);
    }),
    { numRuns: runs },
  );
}, 120_000);

it("should count a year and a month as the data has them, and say where the data ends", async () => {
  const month = fc.constantFrom("January", "May", "July", "September", "December");
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1995, max: 2035 }), fc.option(month), async (year, name) => {
      const number =
        name &&
        "January February March April May June July August September October November December"
          .split(" ")
          .indexOf(name) + 1;
      const like = name ? `${year}-${String(number).padStart(2, "0")}%` : `${year}%`;
      const [row] = rows(
        `SELECT COUNT(*) AS n, (SELECT MAX(ordered_on) FROM orders) AS last FROM orders WHERE ordered_on LIKE '${like}'`,
      );
      const { text } = await ask(`how many orders in ${name ? `${name} ` : ""}${year}?`);
      expect([standsIn(text, row?.n), text]).toEqual([true, text]);
      if (row?.n === 0) expect(text).toContain(String(row.last));
    }),
    { numRuns: runs },
  );
}, 120_000);
