import type { ModuleExtension } from "toolglot";
import { skills } from "./planner/skills/index.ts";
import words from "./planner/words/help.json" with { type: "json" };

/** Returns what the help says of the demo: what runs here and what it is not, requests that the planner knows, and examples. */
export const help: NonNullable<ModuleExtension["help"]> = (locale, cli) => {
  const { before, requests, examples } = words[locale];
  const known = skills.map(({ example, title }) => `  ${example.en}\n  ${example.zh}   (${title[locale]})`);
  const shown = words.examples.map((text) => `  ${cli} ${text}`);
  return { before, after: ["", requests, ...known, "", examples, ...shown].join("\n") };
};
