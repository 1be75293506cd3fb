import type { Decision } from "@toolglot/core";
import { memoryStorage } from "@toolglot/core/storage";
import { expect, it } from "vitest";
import { codeTools, createSandbox } from "../../src/node/index.ts";
import { tool } from "../support.ts";
import { sharedSandbox } from "../worker-sandbox.ts";
import { key, outcomeOf, value } from "./support.ts";

it("should go on with a parked program of JavaScript from the image before it, in another sandbox", async () => {
  const effects: string[] = [];
  const act = (name: string, requiresApproval: boolean) =>
    tool(name, { what: { type: "string" } }, ({ what }: { what: string }) => `did ${effects.push(what)}`, {
      annotations: { requiresApproval },
    });
  const tools = [act("effect", false), act("asked", true)];
  const options = { storage: memoryStorage(), key, durable: true, tools };
  const first = await sharedSandbox("javascript").openSession({ ...options, id: "ada" });
  await value(first, "const rows = [1]; const size = () => rows.length; return Math.random();");
  const waiting = `const before = await effect({ what: "one" }); rows.push(await asked({ what: "two" }));
    return [before, rows[1], size(), Math.random() === Math.random()];`;
  expect(await first.run(waiting, { approve: async () => "later" })).toMatchObject({ status: "parked" });
  await first.close();
  await using two = createSandbox({ language: "javascript" });
  await using second = await two.resumeSession("ada", options);
  await expect(second.run("return 1;")).rejects.toMatchObject({ code: "sandbox/session-parked" });
  const run = await second.resumeRun({ approve: async () => ({ approved: true }) });
  expect(outcomeOf(run as never)).toEqual(["did 1", "did 2", 2, false]);
  expect(effects).toEqual(["one", "two"]);
  expect(await value(second, "return [size(), before];")).toEqual([2, "did 1"]);
});

it("should say as a tool that its program waits, and go on with it when the same program comes again", async () => {
  const effects: string[] = [];
  const asked = tool("asked", { what: { type: "string" } }, ({ what }: { what: string }) => effects.push(what), {
    annotations: { requiresApproval: true },
  });
  const sandbox = sharedSandbox("javascript");
  const options = { storage: memoryStorage(), key, durable: true, tools: [asked] };
  await using session = await sandbox.openSession({ ...options, id: "ada" });
  const decisions: (Decision | "later")[] = ["later", { approved: true }];
  const approve = async () => decisions.shift() ?? { approved: false };
  const [run] = codeTools(sandbox, { tools: [asked], approve, session });
  const code = 'return [await asked({ what: "one" }), await asked({ what: "two" }).catch((error) => error.name)];';
  const call = () => run?.execute({ code }, { callId: "c", signal: new AbortController().signal });
  await expect(call()).rejects.toMatchObject({
    message: "The program waits for an approval: asked.",
    data: { needs: "later", parked: { waiting: [{ name: "asked" }] } },
  });
  expect(effects).toEqual([]);
  expect(await call()).toMatchObject({ value: [1, "ToolError"] });
  expect(effects).toEqual(["one"]);
});
