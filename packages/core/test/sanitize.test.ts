import fc from "fast-check";
import { expect, it } from "vitest";
import { sanitizeErrorMessage, toJsonText } from "../src/index.ts";

it.each([
  [
    "ENOENT: no such file or directory, open '/home/user/.ssh/id_rsa'",
    "ENOENT: no such file or directory, open [path]",
  ],
  ["cannot read /etc/passwd: denied", "cannot read [path]: denied"],
  ["open '/home/my user/a b.txt' failed", "open [path] failed"],
  ["in ~/notes/a.md", "in [path]"],
  ["in ./src/a.ts:3:4", "in [path]"],
  ["in ../secret/key.pem!", "in [path]"],
  ["at C:\\Users\\me\\x.txt now", "at [path] now"],
  ["at C:/Users/me/x.txt now", "at [path] now"],
  ["share \\\\server\\dir\\x", "share [path]"],
  ["in packages/core/src/index.ts:12:3", "in [path]"],
  ["Cannot find module 'node_modules/left-pad/index.js'", "Cannot find module '[path]'"],
  ["GET https://user:pw@api.example.org/v1?key=abc failed", "GET [url] failed"],
  ["see file:///home/me/x.js", "see [url]"],
  ["connect to postgres://u:p@db:5432/x refused", "connect to [url] refused"],
  ["bad data:image/png;base64,AAAA here", "bad [url] here"],
  ["boom\n    at run (/app/x.js:1:2)\n    at async main (node:internal/y:3:4)\n    at /app/z.js:5:6", "boom"],
  ['Traceback (most recent call last):\n  File "/app/x.py", line 3, in f\nValueError: bad', "ValueError: bad"],
  ["", "unknown error"],
  ["   ", "unknown error"],
])("should show %j as %j", (message, shown) => {
  expect(sanitizeErrorMessage(message)).toBe(shown);
});

it.each([
  "and/or",
  "1/2 of 3/4",
  "expected application/json, got text/html",
  "use a / b",
  "status 404: not found",
  "we met at 10:30:15 today",
  "at least 3 items are needed",
  "temperature -5 °C ~ 10",
  "row: id=7 name='x' ok",
  "没有找到文件",
  "a <b>bold</b> word",
  "10 km/h.",
])("should leave %j alone", (message) => {
  expect(sanitizeErrorMessage(message)).toBe(message);
});

it("should cut very long messages, and in linear time", () => {
  expect(sanitizeErrorMessage("x".repeat(10_000))).toHaveLength(4000);
  for (const unit of ["a/", "/", "'/", "../", "at ", "\\\\a", "a.b/", "http:", "( ", "c:"]) {
    expect(sanitizeErrorMessage(unit.repeat(100_000)).length).toBeLessThanOrEqual(4000);
  }
});

it("should show no part of a path or URL, wherever it stands", () => {
  const segment = fc.stringMatching(/^[a-zA-Z0-9_-]{1,8}$/).map((text) => `SECRET${text}`);
  const path = fc.array(segment, { minLength: 2, maxLength: 5 });
  const before = fc.constantFrom("", "open ", "open '", '"', "(", "[", "path=", "in: ", "Error: ");
  fc.assert(
    fc.property(path, before, fc.constantFrom("/", "C:\\", "~/", "https://h/", "file:///"), (segments, lead, root) => {
      const separator = root === "C:\\" ? "\\" : "/";
      expect(sanitizeErrorMessage(`${lead}${root}${segments.join(separator)} ok`)).not.toContain("SECRET");
    }),
  );
});

it("should give JSON for any value", () => {
  const loop: unknown[] = [1];
  loop.push({ loop });
  const shared = { a: 1 };
  expect(toJsonText(undefined)).toBe("null");
  expect(toJsonText(() => 1)).toBe("null");
  expect(toJsonText(10n ** 30n)).toBe(`"1${"0".repeat(30)}"`);
  expect(toJsonText({ a: undefined, b: Number.NaN, c: [undefined, Symbol("x")] })).toBe('{"b":null,"c":[null,null]}');
  expect(toJsonText(loop)).toBe('[1,{"loop":"[circular]"}]');
  expect(toJsonText([shared, shared, { shared }])).toBe('[{"a":1},{"a":1},{"shared":{"a":1}}]');
  expect(toJsonText(new Date(0))).toBe('"1970-01-01T00:00:00.000Z"');
  expect(
    toJsonText({
      get bad(): never {
        throw new Error("no");
      },
    }),
  ).toBe('"[unreadable]"');
  expect(toJsonText({ a: [1] }, 2)).toBe('{\n  "a": [\n    1\n  ]\n}');
  let deep: unknown = 1;
  for (let index = 0; index < 100_000; index++) deep = [deep];
  expect(JSON.parse(toJsonText(deep))).toBe("[unreadable]");
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withMap: true }), (value) => {
      JSON.parse(toJsonText(value));
    }),
  );
  fc.assert(fc.property(fc.jsonValue(), (value) => toJsonText(value) === JSON.stringify(value)));
});
