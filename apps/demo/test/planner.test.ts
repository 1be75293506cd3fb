import type { Locale } from "@toolglot/core";
import { isLong, isThorough, rounds } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { createPlanner } from "../src/planner/planner.ts";
import { readTask, skills } from "../src/planner/skills/index.ts";
import { languageOf } from "../src/planner/text.ts";
import { runQuestion } from "./support/agent.ts";
import { sampled } from "./support/sample.ts";
import { openShop } from "./support/shop.ts";

const { session, rows } = openShop();

/** Each kind, with what its answer must hold, computed here in another way. */
const kinds: Record<string, { called: string[]; holds: (language: Locale) => (string | RegExp)[] }> = {
  search: {
    called: ["search_documents", "fetch_document"],
    holds: (language) => (language === "zh" ? ["zh-shipping-delays", "代金券"] : ["shipping-delays", "membership"]),
  },
  ask: {
    called: ["search_documents", "fetch_document"],
    holds: (language) => (language === "zh" ? ["60 天"] : ["Tents and backpacks: 36 months."]),
  },
  summarise: {
    called: ["search_documents", "fetch_document"],
    holds: (language) =>
      language === "zh" ? ["《退货政策》", "30 天内可以退货"] : ["Refund policy", "within 10 days"],
  },
  compare: {
    called: ["search_documents", "search_documents", "fetch_document", "fetch_document"],
    holds: (language) =>
      language === "zh" ? ["zh-returns", "zh-warranty", "36 个月"] : ["returns", "warranty", "36 months"],
  },
  statistics: {
    called: ["query_sql"],
    holds: () => {
      const totals = rows<{ total: number }>(
        "SELECT total FROM orders WHERE substr(ordered_on, 6, 2) = '09' AND status <> 'cancelled' ORDER BY total",
      ).map(({ total }) => total);
      const middle = totals.length / 2;
      const median =
        totals.length % 2 ? totals[Math.floor(middle)] : ((totals[middle - 1] ?? 0) + (totals[middle] ?? 0)) / 2;
      return [String(totals.length), (median ?? 0).toLocaleString("en-US")];
    },
  },
  tickets: {
    called: ["query_sql"],
    holds: () => rows<{ title: string }>("SELECT title FROM tickets WHERE status = 'open'").map(({ title }) => title),
  },
  show: {
    called: ["query_sql"],
    holds: (language) =>
      rows<{ sku: string }>(
        `SELECT sku FROM products p JOIN order_items i ON i.product_id = p.id WHERE order_id = ${language === "zh" ? 1024 : 1042}`,
      ).map(({ sku }) => sku),
  },
  top: {
    called: ["query_sql"],
    holds: (language) =>
      rows<{ name: string }>(
        language === "zh"
          ? "SELECT p.name_zh AS name FROM products p JOIN order_items i ON i.product_id = p.id JOIN orders o ON o.id = i.order_id WHERE o.status <> 'cancelled' GROUP BY p.id ORDER BY SUM(quantity) DESC, name LIMIT 3"
          : "SELECT p.name FROM products p JOIN order_items i ON i.product_id = p.id JOIN orders o ON o.id = i.order_id WHERE o.status <> 'cancelled' GROUP BY p.id ORDER BY SUM(quantity * unit_price) DESC LIMIT 5",
      ).map(({ name }) => name),
  },
  report: {
    called: ["query_sql"],
    holds: (language) =>
      language === "zh"
        ? rows<{ month: string }>("SELECT DISTINCT substr(ordered_on, 1, 7) AS month FROM orders").map(
            ({ month }) => month,
          )
        : rows<{ line: string }>("SELECT status AS line FROM orders GROUP BY status").map(({ line }) => line),
  },
  arithmetic: { called: [], holds: (language) => [language === "zh" ? "1,494.3" : "446"] },
};

const protocols = ["attp", "attp-js", "tam", "toolsxml", "native", "trp"] as const;
const languages = ["en", "zh"] as const;

/**
 * The planner is one, whatever a request is written in: but for test:long there are all kinds in native calls in English, and of the others the
 * four that differ in their format (a chain, statistics, a refused approval, a decline), in Chinese for every second protocol.
 */
const whole = (protocol: string, language: Locale): boolean => protocol === "native" && language === "en";
const differing = (protocol: string, language: Locale): boolean =>
  whole(protocol, language) || language === (["attp", "toolsxml"].includes(protocol) ? "en" : "zh");

/** Answers are programs, and what cannot be done is declined in a document. */
const isProgram = (protocol: string): boolean => protocol.startsWith("attp");

describe.each(protocols)("%s", (protocol) => {
  describe.each(languages.filter((language) => isLong || differing(protocol, language)))("%s", (language) => {
    const some = sampled(differing(protocol, language));
    const others = sampled(whole(protocol, language));

    for (const kind of Object.keys(kinds))
      (kind === "statistics" ? some : others)(
        `should answer a request of the kind ${kind} from real data`,
        async () => {
          const question = skills.find(({ id }) => id === kind)?.example[language] as string;
          const { result, called, codes } = await runQuestion(session, question, { model: createPlanner(), protocol });
          expect(result.error).toBeUndefined();
          expect(result.status).toBe("answered");
          expect([...new Set(called)].sort()).toEqual([...new Set(kinds[kind]?.called)].sort());
          for (const held of kinds[kind]?.holds(language) ?? []) expect(result.text).toMatch(held);
          expect(codes).toEqual([]);
        },
      );

    some("should read a rule, check the orders against it, and open a ticket that names them", async () => {
      const question = skills.find(({ id }) => id === "chain")?.example[language] as string;
      const late = rows<{ id: number }>(
        "SELECT id FROM orders WHERE status <> 'cancelled' AND julianday(delivered_on) - julianday(promised_on) > 7",
      ).map(({ id }) => String(id));
      const { result, called } = await runQuestion(session, question, { model: createPlanner(), protocol });
      expect(result.status).toBe("answered");
      expect(called).toEqual(["search_documents", "fetch_document", "query_sql", "create_ticket"]);
      for (const id of late) expect(result.text).toContain(id);
      const [ticket] = rows<{ id: number; title: string; body: string; priority: string }>(
        "SELECT id, title, body, priority FROM tickets ORDER BY id DESC LIMIT 1",
      );
      expect(result.text).toContain(String(ticket?.id));
      expect(ticket?.priority).toBe("high");
      expect(ticket?.title).toContain(String(late.length));
      for (const id of late) expect(ticket?.body).toContain(id);
    });

    // A router's catalog has no export.
    if (protocol !== "trp")
      others("should start an export in the background, or wait for it inside a program", async () => {
        const question = skills.find(({ id }) => id === "export")?.example[language] as string;
        const { result, called } = await runQuestion(session, question, { model: createPlanner(), protocol });
        expect(called).toEqual(["export_table"]);
        await session.tasks.idle();
        if (isProgram(protocol)) expect(result.text).toMatch(/reports.*\.csv/);
        else {
          const [, taskId = ""] = /(task-[\da-f]+)/.exec(result.text) ?? [];
          expect(session.tasks.get(taskId)?.result?.data).toMatchObject({ file: expect.stringMatching(/\.csv$/) });
        }
      });

    others("should create a ticket with what the user said", async () => {
      const question = skills.find(({ id }) => id === "ticket")?.example[language] as string;
      const { result, called } = await runQuestion(session, question, { model: createPlanner(), protocol });
      expect(called).toEqual(["create_ticket"]);
      const [ticket] = rows<{ id: number; title: string; body: string; priority: string }>(
        "SELECT id, title, body, priority FROM tickets ORDER BY id DESC LIMIT 1",
      );
      expect(ticket).toMatchObject({ title: language === "zh" ? "营灯发热" : "Lantern overheats", priority: "high" });
      expect(ticket?.body).toContain("F4-10233");
      expect(result.text).toContain(String(ticket?.id));
    });

    others("should delete a record, and say when there is none", async () => {
      const [refund] = rows<{ id: number }>(
        "INSERT INTO refunds (order_id, requested_on, reason, amount) VALUES (1001, '2026-10-01', 'test', 1) RETURNING id",
      );
      const question = language === "zh" ? `删除退款 ${refund?.id}` : `delete refund ${refund?.id}`;
      const first = await runQuestion(session, question, { model: createPlanner(), protocol });
      expect(first.called).toEqual(["query_sql", "delete_record"]);
      expect(rows(`SELECT id FROM refunds WHERE id = ${refund?.id}`)).toEqual([]);
      const second = await runQuestion(session, question, { model: createPlanner(), protocol });
      expect(second.called).toEqual(["query_sql"]);
      expect(second.result.text).toMatch(language === "zh" ? /没有/ : /no refund/);
    });

    some("should take a refused approval for an answer, and change nothing", async () => {
      const question = language === "zh" ? "删除工单 1" : "delete ticket 1";
      const { result } = await runQuestion(session, question, {
        model: createPlanner(),
        protocol,
        approve: () => false,
      });
      expect(result.status).toBe("answered");
      expect(result.denied).toBe(1);
      expect(result.text).toMatch(language === "zh" ? /没有得到同意/ : /not approved/);
      expect(rows("SELECT id FROM tickets WHERE id = 1")).toHaveLength(1);
    });

    some("should decline what it does not know by name", async () => {
      const question = language === "zh" ? "给老板发一封邮件" : "Send an email to my boss";
      const declined: string[] = [];
      const model = createPlanner({ onDecline: (message) => declined.push(message) });
      const { result, called } = await runQuestion(session, question, { model, protocol });
      expect(result.status).toBe(isProgram(protocol) ? "declined" : "answered");
      expect(result.text).toMatch(
        language === "zh" ? /不知道“给老板发一封邮件”.*不是语言模型/ : /“Send”.*“email”.*“my boss”.*no language model/,
      );
      expect(declined).toHaveLength(1);
      expect(called).toEqual([]);
    });

    others("should list its tools from the request", async () => {
      const question = language === "zh" ? "你有哪些工具？" : "What can you do?";
      const { result } = await runQuestion(session, question, { model: createPlanner(), protocol });
      expect(result.status).toBe("answered");
      const shared = session.toolkit.tools().filter(({ name }) => protocol !== "trp" || name !== "export_table");
      for (const { name } of shared) expect(result.text).toContain(`- ${name}: `);
    });
  });
});

const asked = [
  "top 3 customers by revenue",
  "How many customers are there by country?",
  "比较退款政策和会员等级",
  "show ticket 2",
  "what is (1299 + 459) * 0.85?",
  "what is -2 + 3 * -(4 - 1) / 2?",
  "what is 2 * -1 - -3 + sqrt(2)?",
  "mean, median and standard deviation of the order totals in September",
  "How long is the warranty on tents?",
  "summarise the refund policy",
];
// An interpreter for Python takes most of a second: a plain run has every seventh question in it, `.ci/run` every second.
const alike = asked.map((question, index) => {
  const inPython = index % rounds(7, 1) === 0;
  return [question, [...(inPython ? (["attp"] as const) : []), "attp-js", "native", "trp"] as const] as const;
});
it.each(alike)("should give the same answer to %j in %j", async (question, among) => {
  const [first, ...others] = await Promise.all(
    among.map((protocol) => runQuestion(session, question, { model: createPlanner(), protocol })),
  );
  for (const { result } of others) expect(result.text).toContain(first?.result.text ?? "none");
});

it.each(["attp", "attp-js"] as const)("should answer in single mode with the program's value: %s", async (protocol) => {
  const { result } = await runQuestion(session, "what is 6*7?", { model: createPlanner(), protocol, mode: "single" });
  expect(result).toMatchObject({ status: "result", value: 42 });
  const help = await runQuestion(session, "help", { model: createPlanner(), protocol, mode: "single" });
  expect(help.result.status).toBe("result");
});

it("should write programs that run in neither language without the other's habits", () => {
  for (const { example } of skills) {
    for (const language of ["en", "zh"] as const) {
      const read = readTask(example[language], language);
      const code = "unread" in read ? undefined : read.code;
      if (code === undefined) continue;
      expect(code.javascript).not.toMatch(/\b(?:None|True|False|def|len|print)\b|\bawait\b.*\bawait\b/);
      expect(code.python).not.toMatch(/\b(?:const|await|null|true|false)\b|=>/);
    }
  }
});

it("should go on with a conversation: results of earlier questions are not mistaken for this one's", async () => {
  const model = createPlanner();
  const protocol = isThorough ? "attp" : "attp-js";
  const first = await runQuestion(session, "show order 1042", { model, protocol });
  const history = first.result.transcript.messages.filter(({ role }) => role !== "system");
  const second = await runQuestion(session, "what is 2+3?", { model, protocol, history });
  expect(second.result.text).toBe("2+3 = 5");
});

it("should decline when a tool it needs is not on offer", async () => {
  const planner = createPlanner();
  let text = "";
  const request = {
    messages: [
      { role: "user" as const, trust: "user" as const, parts: [{ type: "text" as const, text: "delete ticket 1" }] },
    ],
    tools: [],
  };
  for await (const part of planner(request, new AbortController().signal)) if (typeof part === "string") text += part;
  expect(text).toMatch(/no query_sql and no delete_record/);
});

it.each([
  ["find the restocking rules, check which products are below the reorder point", "chain"],
  ["Which orders are affected by the delay policy?", "chain"],
  ["按退款政策检查哪些退款超期", "chain"],
  ["how many orders were delivered in september", "report"],
  ["total revenue in August", "report"],
  ["average order value by month", "report"],
  ["各城市有多少客户", "report"],
  ["which customer spent the most?", "top"],
  ["前三名客户的消费", "top"],
  ["17 times 3 minus 4", "arithmetic"],
  ["mean of 3, 5 and 10", undefined],
  ["2480的17.5%是多少", "arithmetic"],
  ["九月订单金额的平均数、中位数和标准差", "statistics"],
  ["open a ticket about the broken printer", "ticket"],
  ["find documents about batteries", "search"],
  ["must a delivery that is late be announced?", "ask"],
  ["what do we owe a customer when a delivery is late?", "names"],
  ["remove order 1003", "delete"],
  ["announce to the warehouse: stop shipping lantern F4", "notify"],
  ["notify everybody: the office is closed", "notify"],
  ["通知仓库：停止发出 F4 营灯", "notify"],
  ["open a ticket: notify the customer: lantern F4", "ticket"],
  ["what's the weather in Paris?", "names"],
  ["SELECT name FROM products", "sql"],
  ["select the best customers", "names"],
  ["the last five orders", "list"],
  ["list the documents", "documents"],
  ["read the refund policy", "read"],
  ["write me a poem", undefined],
  ["call me on 555-1234", undefined],
  ["", undefined],
])("should read %j as %s", (question, kind) => {
  const read = readTask(question, languageOf(question));
  expect("unread" in read ? undefined : read.kind).toBe(kind);
});
