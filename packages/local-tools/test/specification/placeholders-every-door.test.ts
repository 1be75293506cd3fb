import { createAgent, nativeProtocol } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import { attpProtocol } from "@toolglot/attp";
import { rounds } from "@toolglot/internal/testing";
import { attpPrompt } from "@toolglot/prompts/attp";
import { tamPrompt } from "@toolglot/prompts/tam";
import { createSandbox, sandboxExecutor } from "@toolglot/sandbox";
import { tamProtocol } from "@toolglot/tam";
import { Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { afterAll, describe, expect, it } from "vitest";
import { localErrorType } from "../../src/errors.ts";
import { openSession, type Session } from "../support/session.ts";

const sandbox = createSandbox({ language: "python", pool: { size: 0 } });
afterAll(() => sandbox[Symbol.asyncDispose]());

/** What came of a script: the type of the refusal, or what it printed. */
type Door = (session: Session, script: string) => Promise<{ refused: string | undefined; said: string }>;

function toolkitOf({ local }: Session): Toolkit {
  const toolkit = new Toolkit();
  for (const tool of local.tools()) toolkit.registerToolFunction(tool);
  return toolkit;
}

async function played(options: Omit<Parameters<typeof createAgent>[0], "model">, turn: unknown) {
  const model = scriptedModel([turn as string, "Done."]);
  const { results } = await createAgent({ ...options, model }).run("Go.").result;
  const [result] = results;
  return { refused: result?.error?.type, said: JSON.stringify([result?.data, result?.content, result?.error]) };
}

const doors: Readonly<Record<string, Door>> = {
  "a ToolsXML block": async ({ tell }, script) => {
    const { raw, text } = await tell(`<tools><command><![CDATA[${script}]]></command></tools>`);
    return { refused: raw[0]?.error?.type, said: text };
  },
  "a native call of a Toolkit": async (session, script) => {
    const toolkit = toolkitOf(session);
    return played({ protocol: nativeProtocol(), executor: toolkitExecutor(toolkit), tools: toolkit.tools() }, [
      { type: "call", call: { id: "1", name: "command", input: { script }, protocol: "native" } },
    ]);
  },
  "a TAM plan": async (session, script) => {
    const toolkit = toolkitOf(session);
    return played(
      { protocol: tamProtocol({ prompt: tamPrompt }), executor: toolkitExecutor(toolkit), tools: toolkit.tools() },
      `<|[REQUEST_TOOL]|>\ncommand:»»»command«««\nscript:»»»${script}«««\n<|[END_TOOL]|>\n`,
    );
  },
  "an ATTP program": async (session, script) => {
    const tools = toolkitOf(session).tools();
    const code = `
try:
    __result__ = [None, command(script=${JSON.stringify(script)})["output"]]
except ToolError as error:
    __result__ = [error.data["type"] if getattr(error, "data", None) else "UnknownValue" if "There is no value" in str(error) else "?", str(error)]`;
    const { said } = await played(
      { protocol: attpProtocol({ prompt: attpPrompt }), executor: sandboxExecutor(sandbox, { tools }), tools },
      `\`\`\`toml\nthought = "I do it."\n[tool_call]\nstatus = "success"\ntarget = "files"\ncode = '''\n${code}\n'''\n\`\`\`\n`,
    );
    const [data] = JSON.parse(said) as [[string | null, string]];
    return { refused: data[0] ?? undefined, said: data[1] };
  },
  "LocalTools.command": ({ local }, script) =>
    local.command({ script }).then(
      ({ output }) => ({ refused: undefined, said: output }),
      (error: unknown) => ({ refused: localErrorType(error), said: String(error) }),
    ),
  "the session of LocalTools.shell": async ({ local }, script) =>
    (await local.shell()).run(script).then(
      ({ output }) => ({ refused: undefined, said: output }),
      (error: unknown) => ({ refused: localErrorType(error), said: String(error) }),
    ),
};

const texts = [
  "$KARYI{TOKEN}",
  "$KARYI{not a name}",
  "$KARYI{ TOKEN }",
  "$KARYI{}",
  "$KARYI{TOKEN",
  `$KARYI{${"A".repeat(300)}}`,
];

describe.each(Object.entries(doors))("$KARYI{NAME} through %s", (name, door) => {
  const startsPython = name === "an ATTP program";
  // One that starts Python each time has the first of them; test:long has all.
  it.each(texts.slice(0, startsPython ? rounds(1, texts.length) : texts.length))(
    "is refused before anything runs: %s",
    async (text) => {
      const session = await openSession();
      const { refused, said } = await door(session, `touch ran.txt; echo "Bearer ${text}"`);
      expect(refused, said).toBe("UnknownValue");
      expect(said).toContain(text.slice(0, 100));
      expect(await session.work.has("ran.txt")).toBe(false);
    },
  );

  it("is the literal text with a second $", async () => {
    const { refused, said } = await door(await openSession(), "echo 'is $$KARYI{TOKEN}.'; test $$ -gt 0 && echo pid");
    expect(refused, said).toBeUndefined();
    expect(said).toMatch(/is \$KARYI\{TOKEN\}\.(?:\n|\\n|\\\\n)pid/);
  });
});

describe("$KARYI{NAME} in each method of LocalTools", () => {
  const text = "$KARYI{TOKEN}";
  it.each<[string, (session: Session) => Promise<unknown>]>([
    ["command's cwd", ({ local }) => local.command({ script: "ls", cwd: text })],
    ["input", ({ local }) => local.input({ data: `${text}\n` })],
    ["ctrl", ({ local }) => local.ctrl({ key: text })],
    ["edit's src", ({ local }) => local.edit([{ src: text, edits: [{ find: "", replace: "x" }] }])],
    ["edit's find", ({ local }) => local.edit([{ src: "a.txt", edits: [{ find: text, replace: "x" }] }])],
    ["edit's replace", ({ local }) => local.edit([{ src: "a.txt", edits: [{ find: "a", replace: `x${text}` }] }])],
    ["read's src", ({ local }) => local.read({ files: [{ src: "a.txt" }, { src: text }] })],
    ["read's pattern", ({ local }) => local.read({ searches: [{ pattern: text }] })],
    ["read's glob", ({ local }) => local.read({ searches: [{ pattern: "a", glob: `*${text}` }] })],
    ["the shell's input", async ({ local }) => (await local.shell()).input(text)],
    ["the shell's cwd", async ({ local }) => (await local.shell()).run("ls", { cwd: `/${text}` })],
  ])("is refused in %s", async (_where, call) => {
    const session = await openSession({ files: { "a.txt": "a\n" } });
    const error = await call(session).catch((thrown: unknown) => thrown);
    expect(localErrorType(error), String(error)).toBe("UnknownValue");
    expect(await session.work.read("a.txt")).toBe("a\n");
  });

  it("is the literal text with a second $, undone once, also where others run the call", async () => {
    const inputs: unknown[] = [];
    const asked: unknown[] = [];
    const toolkit = new Toolkit();
    toolkit.registerToolFunction(({ text: given }: { text: string }) => void inputs.push(given), {
      name: "note",
      description: "Takes a text.",
      args: { text: "string" },
    });
    const { local, tell, work } = await openSession({
      files: { "a.txt": "a $KARYI{X}\n", ".env": "A=1\n" },
      others: toolkitExecutor(toolkit),
      mcp: (_server, tool) => tool,
    });
    await local.edit([{ src: "a.txt", edits: [{ find: "$$KARYI{X}", replace: "$$KARYI{Y} $$$KARYI{Z}" }] }]);
    expect(await work.read("a.txt")).toBe("a $KARYI{Y} $$KARYI{Z}\n");
    await tell(
      `<tools><mcp server="s" tool="note">{"text": "$$KARYI{X}"}</mcp><edit><file src=".env"><find>1</find><replace>$$KARYI{Y}</replace></file></edit></tools>`,
      {
        answer: (request) => {
          asked.push(request);
          return { approved: true };
        },
      },
    );
    expect(inputs).toEqual(["$KARYI{X}"]);
    expect(JSON.stringify(asked)).toContain('"replace":"$KARYI{Y}"');
    expect(await work.read(".env")).toBe("A=$KARYI{Y}\n");
  });
});
