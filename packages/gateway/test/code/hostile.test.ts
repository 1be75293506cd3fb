import { MemoryStore } from "@toolglot/trp-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bench, bench, read, run, stranger, text } from "./support.ts";

let made: Bench;
beforeAll(async () => {
  made = await bench(
    {
      shop: {
        get: { ...read, run: ({ id }) => text(`got ${id}`) },
        secret: { ...read, run: () => text("the secret") },
        echo: { ...read, run: (args) => ({ content: [], structuredContent: args }) },
      },
    },
    {
      store: new MemoryStore(),
      settings: { languages: ["javascript"], timeoutMs: 20_000, calls: 20 },
      visible: ({ principal }, { tool }) => tool !== "secret" || principal.id === "owner",
    },
  );
});
afterAll(() => made.face.close());

const ran = (): number => made.ran.length;

describe("a hostile program", () => {
  it("that never ends is ended", async () => {
    const short = await bench(
      { shop: { get: { ...read, run: () => text("got") } } },
      { settings: { languages: ["javascript"], timeoutMs: 1_000, calls: 1 } },
    );
    const { all, outcome } = await run(short.face, `for (;;) {}`);
    expect(outcome).toMatchObject({ status: "failed", dispatched: false });
    expect(all).toMatch(/^Timeout/);
    expect((await run(short.face, `await new Promise(() => {})`)).outcome.status).toBe("failed");
    await short.face.close();
  });

  it("makes as many calls as it may", async () => {
    const before = ran();
    const { all, outcome } = await run(
      made.face,
      `await Promise.all(Array.from({ length: 10_000 }, (_, id) => tools.shop.get({ id: String(id) })))`,
    );
    expect(outcome.status).toBe("failed");
    expect(all).toMatch(/^ToolCallLimit/);
    expect(ran() - before).toBeLessThanOrEqual(20);
  });

  it("prints and gives as much as it wants, and the answer stays small", async () => {
    const flood = `for (let line = 0; line < 20_000; line++) console.log("x".repeat(100)); return "y".repeat(900_000)`;
    const { answer } = await run(made.face, flood);
    expect(JSON.stringify(answer.result).length).toBeLessThan(20_000);
    const { all } = await run(made.face, `return "y".repeat(5_000_000)`);
    expect(all).toMatch(/^ResultTooLarge/);
  });

  it("finds nothing of tools that its caller doesn't see", async () => {
    const code = `const errors = [];
      for (const call of [() => tools.shop.secret(), () => tools.shop__secret(), () => tools.shop.secrets(),
        () => toolglot_call({ "toolglot:server": "shop", "toolglot:tool": "secret" })])
        try { errors.push(await call()) } catch (error) { errors.push(error.message) }
      return { errors, found: await tools.search("secret") };`;
    const before = ran();
    const { value } = await run(made.face, code);
    const { errors, found } = JSON.parse(value) as { errors: string[]; found: unknown[] };
    expect(found).toEqual([]);
    expect(errors).toHaveLength(4);
    for (const error of errors)
      expect(error).toMatch(/^There is no tool "shop(?:\.|__)secrets?"\. (?!Did you mean .*secret)/);
    expect(ran()).toBe(before);
    const owner = { caller: { ...stranger, principal: { ...stranger.principal, id: "owner" } } };
    expect((await run(made.face, `return await tools.shop.secret()`, owner)).value).toBe("the secret");
  });

  it("can't reach anything by names that objects have", async () => {
    const names = [
      "__proto__",
      "constructor",
      "prototype",
      "toString",
      "hasOwnProperty",
      "then",
      "",
      "\u0000",
      "a".repeat(10_000),
    ];
    const code = `const ends = [];
      for (const server of ${JSON.stringify(names)}) for (const call of [() => tools[server].x({}), () => tools.shop[server]({}), () => tools[server]({})])
        try { ends.push(await call()) } catch (error) { ends.push(error.name) }
      return ends;`;
    const big = await bench(
      { shop: { get: { ...read, run: () => text("got") } } },
      { settings: { languages: ["javascript"], timeoutMs: 5_000, calls: 100 } },
    );
    const { value } = await run(big.face, code);
    await big.face.close();
    expect(new Set(JSON.parse(value))).toEqual(new Set(["ToolError", "TypeError"]));
    expect(big.ran).toHaveLength(0);
  });

  it("that changes the prototypes of its world changes nothing here, and hands over data alone", async () => {
    const code = `Object.prototype.polluted = "yes"; Array.prototype.map = () => "mapped"; JSON.stringify = () => "{}";
      Promise.prototype.then = undefined;
      const args = JSON.parse('{"__proto__": {"id": "p"}, "id": "1", "constructor": 5}');
      return await tools.shop.echo(args);`;
    expect((await run(made.face, code)).outcome.status).toBe("failed");
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    for (const key of ["__proto__", "constructor", "prototype"]) {
      const given = JSON.stringify(JSON.stringify({ id: "1" }).replace("id", key));
      const { all } = await run(made.face, `return await tools.shop.echo(JSON.parse(${given}))`);
      expect(all).toContain(`a tool cannot take ${key}`);
    }
    expect((await run(made.face, `return await tools.shop.echo({ id: "1" })`)).value).toBe('{"id":"1"}');
  });

  it("can't name itself, its trace or the key of a call", async () => {
    await run(
      made.face,
      `return await tools.shop.echo({ "toolglot:server": "x", _meta: { "toolglot/idempotencyKey": "k" }, id: "1" })`,
    );
    expect(made.ran.at(-1)).toEqual([
      "shop.echo",
      { "toolglot:server": "x", _meta: { "toolglot/idempotencyKey": "k" }, id: "1" },
    ]);
  });

  it("of Python reaches no more than its tools", async () => {
    const python = await bench(
      { shop: { get: { ...read, run: ({ id }) => text(`got ${id}`) }, func: { ...read, run: () => text("a tool") } } },
      { settings: { languages: ["python"], timeoutMs: 20_000, calls: 20 } },
    );
    for (const code of [
      "tools.shop.get.__globals__",
      "tools.__class__.__subclasses__()",
      "tools.shop.get.func.__closure__",
      "tools.shop.__reduce__()",
      "type(tools).__mro__[1].__subclasses__()",
    ]) {
      expect((await run(python.face, code)).outcome.status, code).toBe("failed");
    }
    expect(python.ran).toEqual([]);
    const { value } = await run(
      python.face,
      `ends = [tools.shop["func"]()]
for server in ["", "__proto__", "\\0", "a" * 10_000]:
    try:
        ends.append(tools[server][server]())
    except Exception as error:
        ends.append(type(error).__name__)
ends`,
    );
    expect(JSON.parse(value)).toEqual(["a tool", ...Array(4).fill("ToolError")]);
    await python.face.close();
  });

  it("is stopped with its client, and goes on when it is asked for again", async () => {
    const gone = new AbortController();
    let calls = 0;
    const slow = await bench({
      shop: {
        write: { run: () => text("written") },
        slow: {
          ...read,
          run: async () => {
            if (++calls === 1) {
              gone.abort();
              await new Promise((resolve) => setTimeout(resolve, 50));
            }
            return text("at last");
          },
        },
      },
    });
    const code = `return [await tools.shop.write({ id: "1" }), await tools.shop.slow()]`;
    const [first, second] = await Promise.all([run(slow.face, code, { signal: gone.signal }), run(slow.face, code)]);
    await slow.face.close();
    expect(first.outcome.status).toBe("pending");
    expect(second.outcome.receipt).toBe(first.outcome.receipt);
    expect(JSON.parse(second.value)).toEqual(["written", "at last"]);
    expect(slow.ran.filter(([name]) => name === "shop.write")).toHaveLength(1);
  });
});
