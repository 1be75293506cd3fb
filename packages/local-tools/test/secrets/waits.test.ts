import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentOptions, createAgent, nativeProtocol } from "@toolglot/agent";
import { type ScriptedTurn, scriptedModel } from "@toolglot/agent/testing";
import type { ModelPart } from "@toolglot/core";
import { leftToCi } from "@toolglot/internal/testing";
import { tamPrompt } from "@toolglot/prompts/tam";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { createSandbox, sandboxExecutor } from "@toolglot/sandbox";
import { type AskValue, fileStore, openSecrets } from "@toolglot/secrets";
import { valueMiddleware } from "@toolglot/secrets/toolkit";
import { tamProtocol } from "@toolglot/tam";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { describe, expect, it } from "vitest";
import { listeningContext } from "../support/context.ts";
import { openSession } from "../support/session.ts";

const native = nativeProtocol();
const tam = tamProtocol({ prompt: tamPrompt });
const toolsxml = toolsxmlProtocol({ prompt: toolsxmlPrompt });
const input = { key: "T", reason: "To publish." };

/** A clock whose timers never fire; `isCounting`: whether the run's time runs. */
function clock() {
  const names: string[] = [];
  const startTimer = (name: string): (() => void) => {
    names.push(name);
    return () => void names.splice(names.indexOf(name), 1);
  };
  return { runtime: { startTimer }, isCounting: () => names.includes("deadline") };
}

/** Runs an agent whose time is limited, and gives what the model read last and how the waits ended. */
async function run(turn: ScriptedTurn, options: Omit<AgentOptions, "model">) {
  const model = scriptedModel([turn, "Done."]);
  const waits: unknown[] = [];
  const running = createAgent({ ...options, model, limits: { timeMs: 60_000 } }).run("Go.");
  for await (const event of running) {
    if (event.type === "wait-start") waits.push(event.key);
    if (event.type === "wait-end") waits.push(event.outcome);
  }
  const { status } = await running.result;
  return { status, waits, read: JSON.stringify(model.requests.at(-1)?.messages.at(-1)) };
}

const nativeCall = (name: string, given: unknown): ModelPart[] => [
  { type: "call", call: { id: "1", name, input: given, protocol: "native" } },
];

/** The protocols, with what a model writes in each to ask for a value. */
const turns = {
  native: nativeCall("get_value", input),
  tam: "<|[REQUEST_TOOL]|>\ncommand_1:»»»get_value«««\nkey_1:»»»T«««\nreason_1:»»»To publish.«««\n<|[END_TOOL]|>",
  toolsxml: '<tools><get_value key="T" reason="To publish."/></tools>',
};

describe.each([
  ["native calls through a Toolkit", native, turns.native],
  ["a TAM plan through a Toolkit", tam, turns.tam],
  ["ToolsXML", toolsxml, turns.toolsxml],
] as const)("%s", (_name, protocol, turn) => {
  async function asked(answer: string | undefined) {
    const { runtime, isCounting } = clock();
    const counted: boolean[] = [];
    const ask: AskValue = async () => {
      counted.push(isCounting());
      return answer === undefined ? undefined : { value: answer };
    };
    const { local, executor } = await openSession({ secrets: await openSecrets({ ask }) });
    const toolkit = new Toolkit();
    for (const tool of local.tools()) toolkit.registerToolFunction(tool);
    const own = protocol === toolsxml ? executor : toolkitExecutor(toolkit);
    return { ...(await run(turn, { protocol, executor: own, tools: local.tools(), runtime })), counted };
  }

  it("stops the run's clock while the user is asked", async () => {
    const { status, waits, counted } = await asked("a-value-of-some-length");
    expect({ status, waits, counted }).toEqual({ status: "answered", waits: ["T", "given"], counted: [false] });
  });

  it("tells the model that the user gave no value, by that type", async () => {
    const { status, waits, read } = await asked(undefined);
    expect({ status, waits }).toEqual({ status: "answered", waits: ["T", "cancelled"] });
    expect(read).toContain("ValueCancelled");
    expect(read).toContain("The user gave no value. Go on without it; do not ask again.");
  });
});

it("a program's call waits in the same way", async () => {
  const { local } = await openSession({ secrets: await openSecrets({ ask: async () => ({ value: "a-long-value" }) }) });
  const toolkit = new Toolkit();
  for (const tool of local.tools()) toolkit.registerToolFunction(tool);
  await using sandbox = await createSandbox({ language: "javascript" });
  const { given, events } = listeningContext();
  const waits: string[] = [];
  const executor = sandboxExecutor(sandbox, { tools: toolkit.tools() });
  const source = 'return (await get_value({ key: "T", reason: "why" })).key;';
  const [result] = await executor.execute(
    { kind: "code", id: "p", language: "javascript", source, span: { start: 0, end: 0 } },
    {
      ...given,
      wait: async ({ callId, key }, work) => {
        waits.push(`${callId} ${key}`);
        const ended = await work();
        waits.push(ended.outcome);
        return ended;
      },
    },
  );
  expect(result, JSON.stringify([result, events])).toMatchObject({ status: "ok", data: "T" });
  expect(waits).toEqual(["p:1 T", "given"]);
});

it("the clock stands, too, while a passphrase is asked for: of a foreign tool's value, and of a script's", async (test) => {
  leftToCi(test);
  const folder = mkdtempSync(join(tmpdir(), "toolglot-waits-"));
  const path = join(folder, "secrets.json");
  const passphrase = async (): Promise<string> => "the passphrase";
  try {
    const before = await openSecrets({ store: fileStore({ path, passphrase }) });
    await before.set("T", "a-value-of-some-length", { keep: true });
    const { runtime, isCounting } = clock();
    for (const way of ["middleware", "command"]) {
      const counted: boolean[] = [];
      const ask = (): Promise<string> => {
        counted.push(isCounting());
        return passphrase();
      };
      const secrets = await openSecrets({ store: fileStore({ path, passphrase: ask }) });
      const { local } = await openSession({ secrets });
      const toolkit = new Toolkit();
      for (const tool of local.tools()) toolkit.registerToolFunction(tool);
      toolkit.registerToolFunction(
        defineTool({ name: "send", description: "Sends.", input: { type: "object" }, execute: () => "sent" }),
      );
      toolkit.registerMiddleware(valueMiddleware(secrets, { tools: { send: ["T"] } }));
      const turn =
        way === "command" ? nativeCall(way, { script: ': "$KARYI{T}"' }) : nativeCall("send", { to: "$KARYI{T}" });
      const options = { protocol: native, executor: toolkitExecutor(toolkit), tools: toolkit.definitions(), runtime };
      const { status, waits } = await run(turn, options);
      expect({ status, waits, counted }).toEqual({ status: "answered", waits: ["T", "known"], counted: [false] });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
