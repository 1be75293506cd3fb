import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { dialects } from "../src/table/all.ts";
import { checkDialect } from "../src/table/check-dialect.ts";
import { dialectIds } from "../src/table/ids.ts";

const root = new URL("../../../", import.meta.url);
const json = (path: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(path, root), "utf8")) as Record<string, unknown>;

it("is what dialects.json says, in TypeScript and in the copy for ports", () => {
  execFileSync(process.execPath, ["scripts/dialects.mjs", "--check"], { cwd: root });
  const table = json("packages/dialects/dialects.json");
  expect(Object.keys(table)).toEqual(dialectIds);
  expect(json("conformance/dialects/dialects.json")).toEqual(table);
  for (const [id, row] of Object.entries(table))
    expect(dialects[id as keyof typeof dialects]).toEqual({ id, ...(row as object) });
});

it.each(dialectIds)("%s passes the check of a host's own dialects", (id) => {
  checkDialect(dialects[id]);
  expect(dialects[id].example.calls.length).toBeGreaterThan(0);
});

it("tries the more special first where two begin alike", () => {
  const order = (first: string, second: string): void =>
    expect(dialectIds.indexOf(first as never), `${first} before ${second}`).toBeLessThan(
      dialectIds.indexOf(second as never),
    );
  order("deepseek-v3", "deepseek-v3.1");
  order("hermes", "exaone");
  order("glm", "glm-4.7");
  order("mistral", "mistral-11");
  order("dsml", "dsml4");
});

it("has no two models of one name", () => {
  const models = dialectIds.flatMap((id) => dialects[id].models.map((model) => model.toLowerCase()));
  expect(models.filter((model, index) => models.indexOf(model) !== index)).toEqual([]);
});

const { hermes, minimax } = dialects;
it.each<[string, unknown, string]>([
  ["no object", "hermes", "A dialect must be an object"],
  ["an unknown field", { ...hermes, colour: 1 }, "colour"],
  ["a missing field", { ...hermes, stops: undefined }, "stops"],
  ["a word of another kind", { ...hermes, engine: "regex" }, "engine"],
  ["an empty marker", { ...hermes, open: [{ text: "" }] }, "open[0].text"],
  ["a long marker", { ...hermes, close: [{ text: "x".repeat(65) }] }, "close[0].text"],
  ["a pattern for a marker", { ...hermes, open: [/<tool>/] }, "open[0].text"],
  ["a marker that is text", { ...hermes, open: ["<tool>"] }, "open[0]"],
  ["no text for a look-alike", { ...hermes, open: [{ text: "<a>", lookAlikes: [1] }] }, "open[0].lookAlikes[0]"],
  ["too long a variable part", { ...hermes, open: [{ prefix: "<a", suffix: ">", variable: 17 }] }, "open[0].variable"],
  ["a place of names that is none", { ...hermes, call: { name: { at: "end" } } }, "call.name.at"],
  ["no keys of names", { ...hermes, call: { name: { at: "key", keys: [] } } }, "call.name.keys"],
  ["a pattern of its own", { ...hermes, call: { ...hermes.call, idPattern: "(a+)+$" } }, "call.idPattern"],
  [
    "an argument's marker",
    { ...minimax, arguments: { ...minimax.arguments, open: { text: "" } } },
    "arguments.open.text",
  ],
  ["reasoning without an end", { ...hermes, reasoning: [{ open: "<a>" }] }, "reasoning[0].close"],
])("refuses %s", (_, value, place) => {
  let message = "";
  try {
    checkDialect(value);
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    message = (error as TypeError).message;
  }
  expect(message).toContain(place);
});
