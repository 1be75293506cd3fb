import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type CallFinding, checkCall } from "../../src/check-call-layer.ts";

/** The marks of every dialect: those that close, what stands between two arguments, and tokens that are no value. */
interface Row {
  dialect: string;
  closers: string[];
  next: string[];
  tokens: string[];
}

const rows = JSON.parse(
  readFileSync(new URL("../../../../conformance/check-call/marks.json", import.meta.url), "utf8"),
) as Row[];
const tool = {
  name: "write_file",
  inputSchema: { type: "object" as const, properties: { content: {}, path: {}, mode: {} } },
};
const check = (content: string, more: object = {}): Partial<CallFinding> | undefined => {
  const [first, ...others] = checkCall({ name: "write_file", input: { content, ...more } }, tool);
  expect(others).toEqual([]);
  return first;
};
const isElement = (mark: string): boolean => /^<\/[^<>]*>$/.test(mark);

describe.each(rows)("$dialect", ({ closers, next, tokens }) => {
  it.each(closers)("a closer at the end has leaked, whole and cut: %j", (closer) => {
    const value = "first line\nx = 1";
    for (const after of ["", "\n", "  \n"])
      expect(check(value + closer + after), after).toMatchObject({ code: "core/leaked-closer", at: value.length });
    expect(check(`${value}\n</parameter>\n${closer}`)).toMatchObject({ at: value.length + 1 });
    const least = Math.max(7, Math.ceil(closer.length * 0.75));
    if (isElement(closer) || /^<[|｜]?[^<>]*>$/.test(closer))
      for (let length = 1; length < closer.length; length++) {
        const found = check(value + closer.slice(0, length));
        if (length >= least) expect(found, closer.slice(0, length)).toMatchObject({ at: value.length });
        else if (length < 7) expect(found, closer.slice(0, length)).toBeUndefined();
      }
  });

  it.each(closers.filter(isElement))("what the text opens is its own: %j", (closer) => {
    const opener = closer.replace("</", "<");
    expect(check(`${opener}a${closer}`)).toBeUndefined();
    expect(check(`${opener}a${closer}${closer}`)).toMatchObject({ code: "core/leaked-closer" });
    expect(check(`${closer}a${opener}`)).toBeUndefined();
  });

  it.each(next)("an argument that holds the next one has swallowed it: %j", (form) => {
    const between = form.replaceAll("{K}", "path");
    const found = check(`text${between}a.txt`);
    expect(found).toMatchObject({
      code: "core/swallowed-argument",
      path: "/content",
      at: between.startsWith("\n") ? 5 : 4,
    });
    expect(found?.swallowed).toEqual([{ name: "path", value: "a.txt" }]);
    // In the same way several; and not what the call has, or what the tool does not take.
    if (!/^["']/.test(form))
      expect(check(`text${between}a.txt${form.replaceAll("{K}", "mode")}7`)?.swallowed).toEqual([
        { name: "path", value: "a.txt" },
        { name: "mode", value: "7" },
      ]);
    expect(check(`text${between}a.txt`, { path: "b.txt" })?.code).not.toBe("core/swallowed-argument");
    expect(check(`text${form.replaceAll("{K}", "other")}a.txt`)?.code).not.toBe("core/swallowed-argument");
  });

  it.each(tokens)("a token is no value: %j", (token) => {
    expect(check(token)).toMatchObject({ code: expect.stringMatching(/marker-in-value|leaked-closer/), at: 0 });
    expect(check(`The token ${token} is one.`)).toBeUndefined();
  });
});
