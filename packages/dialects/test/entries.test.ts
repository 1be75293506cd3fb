import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type DialectId, dialectIds, dialects } from "../src/index.ts";
import type { OneDialect } from "../src/only.ts";
import type { Dialect } from "../src/table/types.ts";

const src = join(import.meta.dirname, "../src");
const { exports: entries } = JSON.parse(readFileSync(join(src, "../package.json"), "utf8")) as {
  exports: Record<string, { source?: string }>;
};
const load = async (id: DialectId) =>
  (await import(/* @vite-ignore */ `@toolglot/dialects/${id}`)) as OneDialect & { dialect: Dialect };

/** Files that a file loads, itself and what it loads; types are no more there when it runs. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, clause = "", path = ""] of text.matchAll(/^(?:import|export) ([^;]*?) from "(\.[^"]+)";$/gms)) {
    const names = clause.replace(/\btype [\w* ]+,?/g, "").replace(/[{},\s]/g, "");
    if (!clause.startsWith("type ") && names !== "") loadedBy(join(dirname(file), path), seen);
  }
  return seen;
}

it("are there for every row, under its id", () => {
  const named = Object.keys(entries).filter((key) => entries[key]?.source?.startsWith("./src/only/"));
  expect(named).toEqual(dialectIds.map((id) => `./${id}`));
  expect(readdirSync(join(src, "only")).sort()).toEqual(dialectIds.map((id) => `${id}.ts`).sort());
});

describe.each(dialectIds)("the entry of %s", (id) => {
  const { example, write } = dialects[id];
  const tools = example.calls.map(({ name }) => ({ name, inputSchema: {} }));
  const calls = example.calls.map((call) => expect.objectContaining(call));

  it("reads and writes its example, and no choice of a dialect is needed", async () => {
    const one = await load(id);
    expect(one.dialect).toBe(dialects[id]);
    const { blocks } = one.parse(example.text, { tools });
    expect(blocks.map(({ dialect, calls }) => ({ dialect, calls }))).toEqual([{ dialect: id, calls }]);
    expect(one.recoverToolCalls(example.text, tools).calls).toHaveLength(example.calls.length);
    if (write) expect(one.serialize({ calls: example.calls })).toBe(example.text);
    const result = { callId: "1", name: "f", status: "ok" as const, content: [], data: 1 };
    expect(one.formatResults([result])).toBe(one.dialectProtocol().formatResults([result]));
  });

  it("loads its own row alone, and one reader of arguments", () => {
    const loaded = [...loadedBy(join(src, `only/${id}.ts`))].map((file) => file.slice(src.length + 1));
    expect(loaded.filter((file) => /^(?:table\/(?:rows|all)|book|only\/)/.test(file)).sort()).toEqual(
      [`only/${id}.ts`, `table/rows/${id}.ts`].sort(),
    );
    const readers = loaded.filter((file) => /^(?:bodies|engines\/(?:tags|python))\.ts$/.test(file));
    expect(readers).toHaveLength(1);
  });
});
