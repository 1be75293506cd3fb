import { testGrowth } from "@toolglot/internal/testing/growth";
import { bindPlan, createParser, parse } from "../src/index.ts";
import { blockOfLines } from "./read-chunks.ts";

testGrowth({
  parse: (text, options) => {
    for (const block of parse(text, options).blocks) bindPlan(block, options.tools);
  },
  createParser,
  block: (value) => blockOfLines("command:»»»note«««", `title:»»»${value}«««`),
  places: {
    "in a value on lines": (text) => blockOfLines("command:»»»note«««", "title:»»»", text, "«««"),
    "in a value of other delimiters": (text) => blockOfLines("command:>>>note<<<", "title:>>>", text, "<<<"),
    "between fields": (text) => blockOfLines("command:»»»note«««", text, "title:»»»x«««"),
    "between steps": (text) =>
      blockOfLines("command1:»»»note«««", "title1:»»»x«««", text, "command2:»»»note«««", "title2:»»»x«««"),
    "as a key": (text) => blockOfLines("command:»»»note«««", `${text}:»»»x«««`),
    "as a command": (text) => blockOfLines(`command:»»»${text}«««`, "title:»»»x«««"),
    "in a value that is cut": (text) => `<|[REQUEST_TOOL]|>\ncommand:»»»note«««\ntitle:»»»${text}`,
    "in a comment": (text) => blockOfLines(`# ${text}`, "command:»»»note«««"),
  },
});
