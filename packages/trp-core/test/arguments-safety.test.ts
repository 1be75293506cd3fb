import type { JsonSchemaObject, JsonValue } from "@toolglot/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createSafetyRules, type SafetyOptions } from "../src/arguments/safety.ts";

const anything: JsonSchemaObject = { type: "object" };
const found = (args: JsonValue, schema = anything, options?: SafetyOptions): string[] =>
  createSafetyRules(options)
    .check(args, schema)
    .map(({ path, rule }) => `${rule} ${path}`);

/** What the rule says of a text that the schema marks. */
const problem = (mark: string, text: string): string | undefined =>
  createSafetyRules().check(
    { it: text },
    { type: "object", properties: { it: { type: "string", "x-safety": mark } } },
  )[0]?.message;

it("names its rules", () => {
  expect(createSafetyRules().names).toEqual([
    "size",
    "depth",
    "forbidden-keys",
    "control-characters",
    "lone-surrogates",
    "secrets",
    "path",
    "url",
    "sql-read",
    "shell",
  ]);
});

it("takes ordinary arguments", () => {
  const args = {
    text: "Grüße, 世界 👋\r\n\tIndented; a < b && c | d `code` $5 'quoted' ../up",
    list: [1, -0.5, null, true, "x"],
    nested: { a: { b: { c: [] } } },
    "key with spaces": "",
  };
  expect(found(args)).toEqual([]);
});

it.each<[string, JsonValue, string[]]>([
  ["NUL", { s: "a\u0000b" }, ["control-characters s"]],
  ["escape", { a: ["\u001b[31m"] }, ["control-characters a[0]"]],
  ["DEL", { s: "\u007f" }, ["control-characters s"]],
  ["a lone surrogate", { o: { s: "\ud800x" } }, ["lone-surrogates o.s"]],
  ["a lone low surrogate", { s: "x\udc00" }, ["lone-surrogates s"]],
  ["__proto__", JSON.parse('{"a":{"__proto__":{"x":1}}}'), ["forbidden-keys a.__proto__"]],
  ["constructor", { constructor: 1 }, ["forbidden-keys constructor"]],
  ["prototype in a list", { l: [{ prototype: {} }] }, ["forbidden-keys l[0].prototype"]],
  ["a key that is no name", { "a b": { "x\n": "\u0000" } }, ['control-characters ["a b"]["x\\n"]']],
  ["the first of each rule", { a: "\u0000", b: "\u0001", c: "\ud800" }, ["control-characters a", "lone-surrogates c"]],
])("finds %s", (_name, args, expected) => {
  expect(found(args)).toEqual(expected);
});

it("bounds size and depth", () => {
  expect(found({ a: "xxxx", b: "yyy" }, anything, { maxCharacters: 8 })).toEqual(["size "]);
  expect(found({ a: "xxxx", b: "yy" }, anything, { maxCharacters: 8 })).toEqual([]);
  expect(found({ a: [1, 2, 3] }, anything, { maxValues: 4 })).toEqual(["size "]);
  expect(found({ a: [1, 2] }, anything, { maxValues: 4 })).toEqual([]);
  expect(found({ a: { b: [[]] } }, anything, { maxDepth: 3 })).toEqual(["depth a.b[0]"]);
  expect(found({ a: { b: [1] } }, anything, { maxDepth: 3 })).toEqual([]);
  let deep: JsonValue = "end";
  for (let level = 0; level < 40; level++) deep = [deep];
  expect(found({ deep })[0]).toMatch(/^depth deep\[0\]/);
});

it.each([
  "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
  "-----BEGIN PRIVATE KEY-----",
  "-----BEGIN OPENSSH PRIVATE KEY-----",
  "key AKIAQ3EGRIZ7W5XT2PLM.",
  `token ghp_${"a1B2".repeat(9)}`,
  `github_pat_${"a1B2_".repeat(12)}`,
  "xoxb-1234567890-abcdefghijkl",
  `AIza${"Sy0".repeat(11)}ab`,
  `sk_live_${"a1b2".repeat(6)}`,
  `sk-ant-api03-${"aB3-".repeat(8)}`,
  `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${"dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"}`,
  `appr1.${"e".repeat(60)}.${"A".repeat(43)}`,
])("finds a credential: %s", (text) => {
  const faults = createSafetyRules().check({ note: `see ${text}` }, anything);
  expect(faults.map(({ rule }) => rule)).toEqual(["secrets"]);
  expect(faults[0]?.message).not.toContain(text.slice(-12));
});

it.each([
  "AKIAIOSFODNN7EXAMPLE",
  "The prefix of AWS keys is AKIA, that of GitHub tokens ghp_.",
  "-----BEGIN CERTIFICATE-----\nMIID",
  "-----BEGIN PUBLIC KEY-----",
  "task-force sk-learn sk-proj desk-anthology",
  "eyJhbGciOiJIUzI1NiJ9",
  "0123456789abcdef0123456789abcdef01234567",
  "550e8400-e29b-41d4-a716-446655440000",
  "password: use a long one; api_key=YOUR_API_KEY",
  "c2hvcnQgYmFzZTY0IHRleHQgdGhhdCBpcyBub3QgYSBzZWNyZXQ=",
])("takes no credential for one: %s", (text) => {
  expect(found({ note: text })).toEqual([]);
});

it("lets a credential pass where the schema says it is meant", () => {
  const secret = "AKIAQ3EGRIZ7W5XT2PLM";
  const schema = { type: "object", properties: { a: { "x-safety": "secret" }, b: { format: "password" } } } as const;
  expect(found({ a: secret, b: secret, c: secret }, schema as never)).toEqual(["secrets c"]);
});

it.each([
  ["../x", "leads out"],
  ["a/../../x", "leads out"],
  ["a/..", "leads out"],
  ["a\\..\\x", "leads out"],
  [" .. /x", "leads out"],
  ["...", "leads out"],
  ["..", "leads out"],
  ["/etc/passwd", "absolute"],
  ["\\\\server\\share", "absolute"],
  ["C:\\x", "absolute"],
  ["c:x", "absolute"],
  ["~/x", "begins with ~"],
  ["~root/x", "begins with ~"],
  ["%2e%2e/x", "escaped"],
  ["a%2Fb", "escaped"],
  ["a%252fb", "escaped"],
])("path: %s %s", (text, says) => {
  expect(problem("path", text)).toContain(says);
});

it.each(["a/b.txt", "a..b/c", "./a", "a b/ü.md", ".hidden", "100%", "x/~y"])("path: %s is one", (text) => {
  expect(problem("path", text)).toBeUndefined();
});

it.each([
  ["ftp://a.example/", "http or https"],
  ["javascript:alert(1)", "http or https"],
  ["file:///etc/passwd", "http or https"],
  ["/relative", "no absolute URL"],
  ["https://user:pass@a.example/", "user name"],
  ["http://localhost:8080/", "private"],
  ["http://LOCALHOST./", "private"],
  ["http://db.internal/", "private"],
  ["http://127.0.0.1/", "private"],
  ["http://127.1/", "private"],
  ["http://2130706433/", "private"],
  ["http://0x7f.0.0.1/", "private"],
  ["http://0/", "private"],
  ["http://10.1.2.3/", "private"],
  ["http://172.16.0.1/", "private"],
  ["http://192.168.1.1/", "private"],
  ["http://169.254.169.254/latest/meta-data", "private"],
  ["http://100.64.0.1/", "private"],
  ["http://224.0.0.1/", "private"],
  ["http://[::1]/", "private"],
  ["http://[::ffff:127.0.0.1]/", "private"],
  ["http://[fe80::1]/", "private"],
  ["http://[fd00::1]/", "private"],
  ["http://[2002:7f00:1::]/", "private"],
])("url: %s %s", (text, says) => {
  expect(problem("url", text)).toContain(says);
});

it.each([
  "https://example.com/a?b=c#d",
  "http://93.184.216.34/",
  "https://[2606:2800:220:1::1]/",
  "https://172.32.0.1/",
  "https://localhost.example.com/",
])("url: %s is one", (text) => {
  expect(problem("url", text)).toBeUndefined();
});

it.each([
  ["", "is empty"],
  ["  ;", "is empty"],
  ["DELETE FROM t", "begins with SELECT"],
  ["PRAGMA writable_schema = 1", "begins with SELECT"],
  ["select 1; drop table t", "more than one statement"],
  ["select 1;;", "more than one statement"],
  ["WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", "has DELETE"],
  ["EXPLAIN ANALYZE UPDATE t SET a = 1", "has UPDATE"],
  ["select * into outfile 'x' from t", "has INTO"],
  ["select * from t for update", "has UPDATE"],
  ["with a as (select 1) replace into t values (1)", "has REPLACE"],
  ["select 1 -- comment", "comment"],
  ["select 1 /* comment */", "comment"],
  ["select 1 /*!50000 , sleep(1) */", "comment"],
  ["select 1 # '\n; delete from t -- '", "comment"],
  ["select 'it\\'; delete from t -- '", "backslash"],
  ["select 'open", "not closed"],
  ["select $$ ; delete from t $$", "dollar"],
  ["select $tag$ x $tag$", "dollar"],
  ["select pg_sleep(10)", "calls pg_sleep"],
  ["select load_extension('x')", "calls load_extension"],
  ["select lo_import ('/etc/passwd')", "calls lo_import"],
])("sql-read: %s %s", (text, says) => {
  expect(problem("sql-read", text)).toContain(says);
});

it.each([
  "SELECT * FROM orders WHERE status = 'open' LIMIT 5",
  "select count(*) from t;",
  "(select 1) union (select 2)",
  "WITH x AS (SELECT 1 AS a) SELECT a FROM x",
  "values (1, 2), (3, 4)",
  "explain query plan select * from t",
  "select replace(name, 'a', 'b') from t",
  "select 'drop table; delete -- /* it''s text */' as note",
  'select "update", `delete`, [insert] from t',
  "select t.update from t",
  "select updated_at, created_by, deleted from t where a->>'x' = '1'",
  "select a #> '{b}' from t",
  "select name as 名字 from t where a <> $1",
])("sql-read: %s is one", (text) => {
  expect(problem("sql-read", text)).toBeUndefined();
});

it.each([
  "a; rm -rf /",
  "$(id)",
  "`id`",
  "a|b",
  "a&b",
  "a>b",
  "a\nb",
  "it's",
  '"',
  "a\\b",
  "*.txt",
  "-rf",
  "~",
  "{a,b}",
])("shell: refuses %j", (text) => {
  expect(problem("shell", text)).toBeDefined();
});

it.each(["report-2026.txt", "a b/c_d.e", "x=1,y:2", "user@host", "100%", "naïve"])("shell: takes %j", (text) => {
  expect(problem("shell", text)).toBeUndefined();
});

it("checks only what the schema marks, wherever it does", () => {
  const up = "../x";
  const path = { type: "string", "x-safety": "path" };
  const schema = {
    type: "object",
    properties: {
      plain: { type: "string" },
      marked: path,
      format: { type: "string", format: "path" },
      list: { type: "array", items: path },
      tuple: { type: "array", prefixItems: [{ type: "string" }, path] },
      open: { type: "object", additionalProperties: path },
      pattern: { type: "object", patternProperties: { "^p": path } },
      either: { anyOf: [{ type: "number" }, path] },
      ref: { $ref: "#/$defs/a~1b" },
      tree: { $ref: "#/$defs/tree" },
      two: { type: "string", "x-safety": ["shell", "path"] },
    },
    $defs: {
      "a/b": path,
      tree: { type: "object", properties: { file: path, child: { $ref: "#/$defs/tree" } } },
    },
  } as unknown as JsonSchemaObject;
  const places = (args: JsonValue): string[] => found(args, schema);
  expect(places({ plain: up })).toEqual([]);
  for (const [args, path] of [
    [{ marked: up }, "marked"],
    [{ format: up }, "format"],
    [{ list: ["a", up] }, "list[1]"],
    [{ tuple: [up, up] }, "tuple[1]"],
    [{ open: { x: up } }, "open.x"],
    [{ pattern: { p1: up } }, "pattern.p1"],
    [{ either: up }, "either"],
    [{ ref: up }, "ref"],
    [{ tree: { child: { child: { file: up } } } }, "tree.child.child.file"],
    [{ two: up }, "two"],
  ] as [JsonValue, string][]) {
    expect(places(args)).toEqual([`path ${path}`]);
  }
  expect(places({ two: "../a|b" })).toEqual(["shell two", "path two"]);
});

it("rules are data: left out, put in place of others, added", () => {
  const schema = { type: "object", properties: { f: { "x-safety": "path" }, c: { "x-safety": "colour" } } } as never;
  expect(found({ f: "/a\u0000" }, schema, { without: ["path", "control-characters"] })).toEqual([]);
  expect(found({ constructor: 1 }, anything, { without: ["forbidden-keys"] })).toEqual([]);
  expect(found({ a: "xxxx" }, anything, { maxCharacters: 1, without: ["size"] })).toEqual([]);
  const marked = {
    path: (text: string) => (text.startsWith("/srv/") ? undefined : "must be below /srv"),
    colour: (text: string) => (text === "red" ? undefined : "must be red"),
  };
  expect(found({ f: "/srv/x", c: "red" }, schema, { marked })).toEqual([]);
  expect(found({ f: "x", c: "blue" }, schema, { marked })).toEqual(["path f", "colour c"]);
  expect(found({ a: "x" }, anything, { forbiddenKeys: ["a"] })).toEqual(["forbidden-keys a"]);
});

it("a rule that throws refuses", () => {
  const texts = [
    {
      name: "odd",
      check(): undefined {
        throw new Error("hunter2");
      },
    },
  ];
  expect(createSafetyRules({ texts }).check({ a: "x" }, anything)).toEqual([
    { path: "a", rule: "odd", message: "could not be checked" },
  ]);
});

it.each<[SafetyOptions, RegExp]>([
  [{ maxDepth: 0 }, /maxDepth/],
  [{ maxCharacters: 1.5 }, /maxCharacters/],
  [{ without: ["pathes"] }, /no safety rule "pathes"; there are size, depth/],
  [{ texts: [{ name: "secrets", check: () => undefined }] }, /two safety rules of the name "secrets"/],
  [{ texts: [{ name: "My Rule", check: () => undefined }] }, /a-z, 0-9 and -/],
])("TypeError for %j", (options, message) => {
  expect(() => createSafetyRules(options)).toThrow(message);
});

it("never throws, and takes time in proportion to the text, for any text and mark", () => {
  const marks = fc.constantFrom("path", "url", "sql-read", "shell", "secret");
  fc.assert(
    fc.property(marks, fc.string({ unit: "binary", maxLength: 200 }), (mark, text) => {
      problem(mark, text);
    }),
  );
  for (const mark of ["path", "url", "sql-read", "shell", "none"]) {
    for (const piece of [
      "../",
      "'",
      "eyJ",
      "eyJa.",
      "(",
      "select ",
      "-----BEGIN ",
      "AKIA",
      "$a",
      "''",
      " ",
      "appr1.",
    ]) {
      problem(mark, piece.repeat(50_000));
    }
  }
});
