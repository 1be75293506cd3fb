import { expect, it } from "vitest";
import { checkKeys } from "../src/index.ts";

it.each([
  [{ limt: 1 }, [], 'f has no option "limt". Did you mean "limit"?'],
  [{ zzzzzz: undefined }, [], 'f has no option "zzzzzz". It has: limit, name, tools.'],
  [[], [], "f takes an object of options, not a list"],
  [null, [], "f takes an object of options, not null"],
  [undefined, ["name"], "f needs options: { name }"],
])("refuses %j", (given, required, message) => {
  expect(() => checkKeys("f", given as object | undefined, ["limit name", "tools"], required)).toThrow(
    new TypeError(message),
  );
});

it("takes known keys, and nothing where nothing is required", () => {
  expect(() => checkKeys("f", { tools: 1, limit: undefined }, "limit name tools", ["name"])).not.toThrow();
  expect(() => checkKeys("f", undefined, "limit")).not.toThrow();
});
