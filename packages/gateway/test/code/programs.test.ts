import { MemoryStore } from "@toolglot/trp-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bench, bench, read, run, text } from "./support.ts";

let made: Bench;
/** Calls of the tool that waits for two others. */
let together = 0;
const order = (id: unknown) => ({ id, late: id !== "2" });

beforeAll(async () => {
  made = await bench(
    {
      shop: {
        list: { ...read, run: () => ({ content: [], structuredContent: { orders: ["1", "2", "3"].map(order) } }) },
        get: { ...read, run: ({ id }) => ({ content: [], structuredContent: order(id) }) },
        refund: { run: ({ id }) => text(`refunded ${id}`) },
        wait: {
          ...read,
          async run({ id }) {
            together++;
            await expect.poll(() => together, { timeout: 20_000 }).toBe(3);
            return text(String(id));
          },
        },
        ask: {
          ...read,
          run: async (_, { ask, meta }) =>
            text(
              `${JSON.stringify(await ask?.({ kind: "elicitation", server: "shop", message: "Which colour?" }))} ${meta?.traceparent}`,
            ),
        },
        fail: { run: () => ({ ...text("no such order"), isError: true }) },
      },
      "my-server": { "do-it": { ...read, run: () => text("did it") }, name: { ...read, run: () => text("a name") } },
      search: { web: { ...read, run: () => text("found") } },
    },
    {
      store: new MemoryStore(),
      settings: { languages: ["javascript", "python"], timeoutMs: 20_000, calls: 100 },
    },
  );
});
afterAll(() => made.face.close());

describe.each(["javascript", "python"] as const)("a program in %s", (language) => {
  const inLanguage = (programs: Record<typeof language, string>) =>
    run(made.face, { language, code: programs[language] });

  it("gets structured content, else text, and gives a value and what it prints", async () => {
    const { value, all, outcome } = await inLanguage({
      javascript: `const { orders } = await tools.shop.list();
        console.log("there are", orders.length);
        return [orders.filter(({ late }) => late).map(({ id }) => id), await tools["my-server"]["do-it"]()];`,
      python: `orders = (await tools.shop.list())["orders"]
print("there are", len(orders))
[[order["id"] for order in orders if order["late"]], await tools["my-server"]["do-it"]()]`,
    });
    expect(JSON.parse(value)).toEqual([["1", "3"], "did it"]);
    expect(all).toContain("Printed:\nthere are 3");
    expect(outcome).toMatchObject({ status: "done", dispatched: true });
  });

  it("reaches names that are no identifiers, whole names, and names that objects have", async () => {
    const { value } = await inLanguage({
      javascript: `return [await tools.my_server.do_it({}), await tools["my-server"].name(), await tools.shop__get({ id: "2" }),
        await tools.search.web(), (await tools.shop.get({ id: "3" })).late, (await tools.search({ query: "refund" })).map(({ name }) => name)];`,
      python: `[tools.my_server.do_it(), tools["my-server"].name(), tools.shop__get(id="2"),
tools["search"]["web"](), tools.shop.get({"id": "3"})["late"], [found["name"] for found in tools.search("refund")]]`,
    });
    expect(JSON.parse(value)).toEqual(["did it", "a name", { id: "2", late: false }, "found", true, ["shop__refund"]]);
  });

  it("makes calls side by side", async () => {
    together = 0;
    const { value } = await inLanguage({
      javascript: `return await Promise.all(["a", "b", "c"].map((id) => tools.shop.wait({ id })));`,
      python: `import asyncio
await asyncio.gather(*[tools.shop.wait(id=id) for id in "abc"])`,
    });
    expect(JSON.parse(value)).toEqual(["a", "b", "c"]);
  });

  it("gets a ToolError when a tool fails, and can go on", async () => {
    const { value } = await inLanguage({
      javascript: `try { await tools.shop.fail({ id: "9" }) } catch (error) { return [error.name, error.message, error.data.executed] }`,
      python: `try:
    tools.shop.fail(id="9")
except ToolError as error:
    found = ["ToolError", str(error), error.data["executed"]]
found`,
    });
    expect(JSON.parse(value)).toEqual(["ToolError", "no such order", "yes"]);
  });

  it("that fails says where, in its own lines, and what it had done", async () => {
    const { all, outcome, answer } = await inLanguage({
      javascript: `await tools.shop.refund({ id: "j" });\nconst nothing = undefined;\nreturn nothing.x;`,
      python: `tools.shop.refund(id="p")\nnothing = None\nnothing.x`,
    });
    expect(outcome).toMatchObject({ status: "failed", dispatched: true });
    expect(answer.result.isError).toBe(true);
    expect(all).toMatch(/Error in line 3: /);
    expect(all).toContain("Calls that it made:\n- shop.refund: done");
    expect(all).not.toContain("toolglot_call");
  });

  it("is told of names that there are not, and what is meant", async () => {
    const { all } = await inLanguage({
      javascript: `await tools.shop.refunds({ id: "1" })`,
      python: `tools.shop.refunds(id="1")`,
    });
    expect(all).toContain('There is no tool "shop.refunds". Did you mean shop.refund?');
  });
});

describe("what a program gives", () => {
  it("is cut, and the answer says what was", async () => {
    const { all } = await run(made.face, `console.log("é".repeat(20_000)); return "x".repeat(20_000) + "end"`);
    expect(all).toMatch(/Here 12003 of 20003 bytes of the value are left out\./);
    expect(all).toMatch(/Here \d+ of 40000 bytes of the output are left out\./);
    expect(all).toContain("end");
    expect(all).not.toContain("\ufffd");
    expect(all.length).toBeLessThan(17_000);
  });

  it("has every call with its own audit row, and one trace", async () => {
    const { outcome, answer } = await run(
      made.face,
      `await tools.shop.refund({ id: "t1" }); await tools.shop.refund({ id: "t2" }); await tools.shop.get({ id: "1" });`,
    );
    const rows = await made.router.audit.read({ limit: 100 });
    const own = rows.filter(({ entry }) => entry.trace_id === outcome.receipt && entry.result_status === "SUCCESS");
    expect(own).toHaveLength(3);
    expect(answer.result._meta["toolglot/calls"]).toMatchObject([
      { tool: "shop.refund", status: "done", receipt: expect.stringContaining("cap.mcp.") },
      { tool: "shop.refund", status: "done" },
      { tool: "shop.get", status: "done" },
    ]);
  });

  it("passes what servers ask on to the client, and the request's trace to servers", async () => {
    const asked: string[] = [];
    const ask = async ({ message = "" }: { message?: string }) => {
      asked.push(message);
      return { action: "accept" as const, content: { colour: "red" } };
    };
    const told: string[] = [];
    const meta = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
    const onProgress = ({ progress, message }: { progress: number; message?: string }): void => {
      told.push(`${progress} ${message}`);
    };
    const code = `return [await tools.shop.ask(), await tools.shop.get({ id: "1" })]`;
    const { value } = await run(made.face, code, { ask, onProgress }, meta);
    expect(JSON.parse(value)).toEqual([
      `{"action":"accept","content":{"colour":"red"}} ${meta.traceparent}`,
      order("1"),
    ]);
    expect(asked).toEqual(["Which colour?"]);
    expect(told).toEqual(["1 shop__ask: done", "2 shop__get: done"]);
  });

  it("needs a program, in a language that there is", async () => {
    expect((await run(made.face, {})).outcome).toMatchObject({ status: "refused", code: "TRP_2001" });
    const other = await run(made.face, { code: "1", language: "ruby" });
    expect(other.all).toContain("javascript, python");
  });
});
