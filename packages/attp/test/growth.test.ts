import { testGrowth } from "@toolglot/internal/testing/growth";
import { createParser, parse } from "../src/index.ts";
import { documentOf } from "./fixtures.ts";

testGrowth({
  parse,
  createParser,
  found: [["in code that is cut", "[tool_result] x "]],
  block: (value) => documentOf(`${value}\n`, { fence: "```" }),
  places: {
    "in a bare document": documentOf,
    "in a string of one line": (text) => documentOf(text.replaceAll("\n", " "), { open: "'", close: "'" }),
    "in quotes": (text) => documentOf(text, { open: '"""\n', close: '"""' }),
    "as a key": (text) => `${documentOf("x\n")}${text} = 1\n`,
    "as a thought": (text) => `thought = '''\n${text}'''\n[tool_call]\nstatus = "success"\ncode = 'x'\n`,
    "as a loose string": (text) => `[tool_call]\nmessage = "${text}\nstatus = "success"\n`,
    "as a list": (text) => `[tool_call]\nstatus = "success"\nx = [${text}]\n`,
    "between fields": (text) => `thought = 'a'\n${text}\n[tool_call]\nstatus = "success"\ncode = 'x'\n`,
    "in JSON": (text) => `{"thought": "a", "tool_call": {"status": "success", "code": "${text}`,
    "in code that is cut": (text) => documentOf(text, { close: "" }),
  },
});
