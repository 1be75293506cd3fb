import { expect, it } from "vitest";
import { openSession } from "../support/session.ts";

const touch = "<command>echo ran > ran.txt</command>";

it("4 <get_value>: example: is answered by an error where nobody can be asked", async () => {
  const { ask } = await openSession();
  const result = await ask(`
    <tools>
      <get_value key="NPM_TOKEN" reason="需要认证才能将 package 发布到 npm registry。" note="用于发布 karyi-agent 包的令牌"/>
    </tools>`);
  expect(result).toMatchObject({ tool: "get_value", index: 0, status: "error" });
  expect(result.text).not.toBe("");
});

it("4 <get_value>: the other calls of its block run", async () => {
  const { tell, work } = await openSession();
  const { results } = await tell(`<tools><get_value key="K" reason="why"/>${touch}</tools>`);
  expect(results.map(({ status }) => status)).toEqual(["error", "ok"]);
  expect(await work.has("ran.txt")).toBe(true);
});

it.each([
  ["a command", '<command>curl -H "Authorization: Bearer $KARYI{TOKEN}" localhost</command>'],
  ["a command's attribute", '<command cwd="$KARYI{TOKEN}">ls</command>'],
  ["a find", '<edit><file src="a.txt"><find>$KARYI{TOKEN}</find><replace>b</replace></file></edit>'],
  ["a replace", '<edit><file src="a.txt"><find>a</find><replace>$KARYI{TOKEN}</replace></file></edit>'],
  ["an edit's src", '<edit><file src="$KARYI{TOKEN}"><find>a</find><replace>b</replace></file></edit>'],
  ["a read's src", '<read><file src="$KARYI{TOKEN}"/></read>'],
  ["a search", '<read><search pattern="$KARYI{TOKEN}"/></read>'],
  ["an input", "<input>$KARYI{TOKEN}\\n</input>"],
  ["an MCP call", '<mcp server="s" tool="t">{"deep": ["$KARYI{TOKEN}"]}</mcp>'],
  ["an MCP call's key", '<mcp server="s" tool="t">{"$KARYI{TOKEN}": 1}</mcp>'],
  ["a reason", '<get_value key="K" reason="$KARYI{TOKEN}"/>'],
])(
  "variables: $KARYI{NAME} in %s: a name that is not known is an error before anything of the block runs",
  async (_, call) => {
    const { tell, work } = await openSession({ files: { "a.txt": "a\n" } });
    const { results, raw, text } = await tell(`<tools>${touch}${call}${touch}</tools>`);
    expect(
      results.map(({ status }) => status),
      text,
    ).toEqual(["error", "error", "error"]);
    expect(raw.map(({ error }) => error?.type)).toContain("UnknownValue");
    expect(text).toContain("TOKEN");
    expect(await work.has("ran.txt")).toBe(false);
    expect(await work.read("a.txt")).toBe("a\n");
  },
);

it("variables: $$KARYI{NAME} is the literal text $KARYI{NAME}", async () => {
  const { tell, work } = await openSession({ files: { "a.txt": "a\n" } });
  const { results, text } = await tell(
    `<tools><command>echo 'is $$KARYI{TOKEN}'</command>
    <edit><file src="a.txt"><find>a</find><replace>$$KARYI{TOKEN} b</replace></file></edit></tools>`,
  );
  expect(
    results.map(({ status }) => status),
    text,
  ).toEqual(["ok", "ok"]);
  expect(results[0]?.text).toMatch(/^is \$KARYI\{TOKEN\}\n?$/);
  expect(await work.read("a.txt")).toBe("$KARYI{TOKEN} b\n");
});

it("variables: what only looks like a placeholder is text", async () => {
  const { ask } = await openSession();
  const { text, exit } = await ask(
    `<tools><command>echo '$KARYI' '\${KARYI}' '$karyi{x}' 'KARYI{x}'</command></tools>`,
  );
  expect(exit).toBe(0);
  expect(text).toMatch(/^\$KARYI \$\{KARYI\} \$karyi\{x\} KARYI\{x\}\n?$/);
});
