import { expect, it } from "vitest";
import { defineTool, makeSubagentTool, Toolkit, type ToolResponse } from "../src/index.ts";

const tool = (name: string) => defineTool({ name, description: "d", args: {}, execute: () => name });

function kit(): Toolkit {
  const toolkit = new Toolkit({ metaTool: false });
  toolkit.createToolGroup("a", { description: "A", active: true });
  toolkit.createToolGroup("b", { description: "B" });
  toolkit.registerToolFunction(tool("x"), { groupName: "a", presets: {} });
  toolkit.registerToolFunction(tool("y"), { groupName: "b", timeoutMs: 50 });
  return toolkit;
}

const names = (toolkit: Toolkit): string[] => toolkit.definitions().map(({ name }) => name);

it("should save the active groups as JSON, and load them as the whole state", () => {
  const saved = JSON.parse(JSON.stringify(kit().saveState()));
  expect(saved).toEqual({ activeGroups: ["a"] });
  const other = kit();
  other.updateToolGroups(["b"], true);
  expect(other.loadState(saved)).toEqual([]);
  expect(names(other)).toEqual(["x"]);
});

it("should change nothing when a state names an unknown group, or only report it", () => {
  const toolkit = kit();
  expect(() => toolkit.loadState({ activeGroups: ["b", "gone"] })).toThrow(
    expect.objectContaining({ code: "toolkit/unknown-group" }),
  );
  expect(names(toolkit)).toEqual(["x"]);
  expect(toolkit.loadState({ activeGroups: ["b", "gone"] }, { strict: false })).toEqual(['There is no group "gone".']);
  expect(names(toolkit)).toEqual(["y"]);
  expect(() => toolkit.loadState({} as never)).toThrow(TypeError);
});

it("should refuse a key that no state has, when strict, and report it otherwise", () => {
  const toolkit = kit();
  const before = toolkit.saveState();
  expect(() => toolkit.loadState({ activeGroups: [], extra: 1 } as never, { strict: true })).toThrow(TypeError);
  expect(() => toolkit.loadState({ activeGroups: [], extra: 1 } as never)).toThrow(/no "extra"/);
  expect(toolkit.saveState()).toEqual(before);
  expect(toolkit.loadState({ activeGroups: [], extra: 1 } as never, { strict: false })).toEqual([
    'A state has no "extra"; it was left out.',
  ]);
  expect(toolkit.loadState(toolkit.saveState({ registrations: true }))).toEqual([]);
});

it("should list registrations when asked, without the presets' values", () => {
  const { registrations } = kit().saveState({ registrations: true });
  expect(registrations).toMatchObject([
    { name: "x", groupName: "a" },
    { name: "y", groupName: "b", timeoutMs: 50 },
  ]);
});

it("should clear everything", () => {
  const toolkit = kit();
  toolkit.registerAgentSkill({ name: "s", description: "d", dir: "/s/" });
  toolkit.clear();
  expect([toolkit.registered.size, [...toolkit.groups.keys()], toolkit.getAgentSkillPrompt()]).toEqual([
    0,
    ["basic"],
    undefined,
  ]);
});

it("should tell of skills in the prompt", () => {
  const toolkit = new Toolkit();
  expect(toolkit.getAgentSkillPrompt()).toBeUndefined();
  toolkit.registerAgentSkill({ name: "pdf", description: "Reads PDF files.", dir: "/skills/pdf/" });
  expect(toolkit.getAgentSkillPrompt()).toContain(
    '## pdf\nReads PDF files.\nRead "/skills/pdf/SKILL.md" to learn how to use this skill.',
  );
  expect(() => toolkit.registerAgentSkill({ name: "pdf", description: "x", dir: "y" })).toThrow(/already/);
  expect([toolkit.removeAgentSkill("pdf"), toolkit.removeAgentSkill("pdf")]).toEqual([true, false]);
});

it("should make a tool of another agent, and say when that agent is not available", async () => {
  const toolkit = new Toolkit();
  const ask = makeSubagentTool({
    name: "ask_expert",
    description: "d",
    args: { query: "string" },
    run: ({ query }) => {
      if (query === "fail") throw new Error("connect ECONNREFUSED /var/run/x.sock");
      return `about ${query}`;
    },
  });
  toolkit.registerToolFunction(ask);
  const last = async (query: string): Promise<ToolResponse | undefined> => {
    let final: ToolResponse | undefined;
    for await (const response of toolkit.callToolFunction({ name: "ask_expert", input: { query } })) final = response;
    return final;
  };
  expect((await last("x"))?.data).toBe("about x");
  const failed = await last("fail");
  expect([failed?.status, failed?.metadata?.unavailable]).toEqual(["error", true]);
  expect(failed?.error?.message).not.toContain("/var/run");
});
