import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { checkArguments } from "../src/arguments/check.ts";
import { createSafetyRules } from "../src/arguments/safety.ts";
import { isFault } from "../src/frames/fault.ts";
import { alice, capability } from "./rules-rig.ts";

const page = readFileSync(new URL("../../../docs/trp-arguments.md", import.meta.url), "utf8");

it("the page has a row for each safety rule", () => {
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  expect(rows).toEqual(createSafetyRules().names);
});

const examples = [...page.matchAll(/^\| `(\{.*?\})` \| (.*) \|$/gm)].map(([, args = "", answer = ""]) => [
  args,
  answer,
]);

it("the page has examples", () => {
  expect(examples).toHaveLength(4);
});

it.each(examples)("the page's example %s: %s", async (args, expected) => {
  const schema = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "");
  const answer = await checkArguments(capability({ args: schema }), JSON.parse(args as string), alice);
  expect(isFault(answer) ? `\`${answer.message}\`` : "fine").toBe(expected);
});
