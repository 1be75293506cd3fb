import { drawn, leftToCi } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import { sharedSandbox } from "../../worker-sandbox.ts";

const SIZE = 131_072;
/** As much of it as a program may have. */
const fill = (piece: string, before = "", after = ""): string => {
  const room = SIZE - before.length - after.length - 10;
  return before + piece.repeat(Math.ceil(room / piece.length)).slice(0, room - (room % piece.length)) + after;
};

/** Sources that make parsers, scanners and hints slow or deep; whatever is said of them must be said in time. */
const sources: Record<string, string> = {
  "open parentheses": fill("("),
  slashes: fill("/"),
  "a sum": fill("+1", "return 1"),
  "open templates": fill("`\u0024{"),
  imports: fill("import "),
  words: fill(" y", "return x"),
  "calls in a row": fill("()", "f"),
  "lines of words": fill("a\n"),
  "regular expressions never closed": fill("/["),
  quotes: fill("'"),
  backslashes: fill("\\"),
  spaces: fill(" ", "return 1", "x"),
  "open braces": fill("{"),
  "open patterns": fill("[", "var "),
  exports: fill("export {a}; "),
  functions: fill("async function a() {} "),
  "a list": fill("1,", "return [", "]"),
  "members in a row": fill(".a", "return a"),
  "optional members": fill("?.b", "return a"),
  "plus signs": fill("+ ", "return ", "1"),
  conditions: fill("1?", "return ", "1"),
  texts: fill("'a'+", "return ", "1"),
  arrows: fill("a=>", "return ", "1"),
  "not, not, not": fill("!", "return ", "1"),
  awaits: fill("await ", "return ", "1"),
  "types of types": fill("typeof ", "return ", "1"),
  labels: fill("a:"),
  colons: fill(": "),
  assignments: fill("=a", "a"),
  "regular expressions": fill("/a/,", "return ", "1"),
  "classes of classes": fill("class A extends "),
  "generators within generators": fill("function*a(){yield*"),
  indexes: fill("[0]", "f"),
  tags: fill("``", "f"),
  digits: fill("9", "return "),
  "digits of a big integer": fill("9", "return ", "n"),
  "one name": fill("a", "return "),
  "a name of another script": fill("名", "return ").slice(0, 40_000),
  "open comments": fill("/*"),
  "old comments": fill("<!--"),
  NULs: fill("\0"),
  "line separators": fill("\u2028").slice(0, 40_000),
  "lone surrogates": fill("\ud800").slice(0, 40_000),
};

const sandbox = sharedSandbox("javascript", { limits: { timeoutMs: 3000 } });

const sample = drawn(Object.keys(sources), 8);

it.for(Object.entries(sources))(
  "should say in time what is wrong with a source full of %s",
  async ([what, code], context) => {
    leftToCi(context, sample.includes(what));
    const run = await sandbox.run(code);
    const outcome = run.status === "ok" ? "ok" : run.error.type;
    const types = ["ok", "SyntaxError", "ReferenceError", "ImportForbidden", "MissingResult", "RangeError", "Timeout"];
    expect(types, run.status === "error" ? run.error.message : "").toContain(outcome);
    expect(JSON.stringify(run.status === "error" && run.error).length).toBeLessThan(10_000);
  },
);
