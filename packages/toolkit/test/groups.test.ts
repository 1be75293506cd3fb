import { describe, expect, it } from "vitest";
import { defineTool, Toolkit } from "../src/index.ts";
import { final, texts } from "./support.ts";

function kitWithGroups(options: { metaTool?: boolean } = {}) {
  const kit = new Toolkit(options);
  kit.createToolGroup("web", { description: "Search and fetch pages.", notes: "Cite every page." });
  kit.createToolGroup("mail", { description: "Read and send mail.", notes: "Ask before sending.", active: true });
  kit.registerToolFunction(() => "found", { name: "search", description: "d", groupName: "web" });
  kit.registerToolFunction(() => "sent", { name: "send", description: "d", groupName: "mail" });
  kit.registerToolFunction(() => "12:00", { name: "now", description: "d" });
  return kit;
}

const names = (kit: Toolkit, groups?: string[]) => kit.getJsonSchemas(groups).map((schema) => schema.function.name);
const meta = "reset_equipped_tools";

describe("groups", () => {
  it("should be listed while active, or when named", () => {
    const kit = kitWithGroups();
    expect(names(kit)).toEqual([meta, "send", "now"]);
    expect(names(kit, ["web"])).toEqual(["search"]);
    expect(names(kit, ["web", "basic"])).toEqual([meta, "search", "now"]);
    expect(kit.tools().map(({ name }) => name)).toEqual([meta, "send", "now"]);
    expect(kit.updateToolGroups(["web"], true)).toEqual([]);
    expect(names(kit)).toContain("search");
    kit.updateToolGroups(["web", "mail"], false);
    expect(names(kit)).toEqual([meta, "now"]);
  });

  it("should name group and meta tool when a tool is put away", async () => {
    expect((await final(kitWithGroups(), { name: "search" })).error).toEqual({
      type: "InactiveTool",
      message: `The tool "search" is in the group "web", which is not active. Activate the group with ${meta} first.`,
    });
    expect((await final(kitWithGroups({ metaTool: false }), { name: "search" })).error?.message).toBe(
      'The tool "search" is in the group "web", which is not active.',
    );
  });

  it("should report names that don't exist", () => {
    const kit = kitWithGroups();
    expect(kit.updateToolGroups(["nope", "web"], true)).toEqual(['There is no group "nope".']);
    expect(kit.groups.get("web")?.active).toBe(true);
    expect(kit.removeToolGroups(["nope"])).toEqual(['There is no group "nope".']);
  });

  it("should be removed with their tools", () => {
    const kit = kitWithGroups();
    kit.removeToolGroups(["mail"]);
    expect([...kit.registered.keys()]).toEqual([meta, "search", "now"]);
    expect(kit.getJsonSchemas()[0]?.function.parameters.properties).not.toHaveProperty("mail");
    expect(() => kit.registerToolFunction(() => 1, { name: "x", description: "d", groupName: "mail" })).toThrow(
      expect.objectContaining({ code: "toolkit/unknown-group" }),
    );
  });

  it("should leave basic alone, and change nothing when it is named", () => {
    const kit = kitWithGroups();
    const code = { code: "toolkit/basic-group" };
    expect(() => kit.updateToolGroups(["web", "basic"], true)).toThrow(expect.objectContaining(code));
    expect(() => kit.removeToolGroups(["web", "basic"])).toThrow(expect.objectContaining(code));
    expect(kit.groups.get("web")).toMatchObject({ active: false });
    expect(() => kit.createToolGroup("basic", { description: "d" })).toThrow(
      expect.objectContaining({ code: "toolkit/group-exists" }),
    );
    expect(() => kit.createToolGroup("x", {} as never)).toThrow(TypeError);
  });

  it("should give the notes of the active ones", () => {
    const kit = kitWithGroups();
    expect(kit.getToolGroupNotes()).toBe('## About the tool group "mail"\nAsk before sending.');
    kit.updateToolGroups(["mail"], false);
    expect(kit.getToolGroupNotes()).toBe("");
  });
});

describe("the meta tool", () => {
  it("should come with the first group, with one boolean for each", () => {
    const empty = new Toolkit();
    expect(names(empty)).toEqual([]);
    const [schema] = kitWithGroups().getJsonSchemas();
    expect(schema?.function).toMatchObject({
      name: meta,
      parameters: {
        properties: {
          web: { type: "boolean", description: "Search and fetch pages." },
          mail: { type: "boolean", description: "Read and send mail." },
        },
      },
    });
    expect(names(kitWithGroups({ metaTool: false }))).toEqual(["send", "now"]);
  });

  it("should set the final state, and answer with the notes", async () => {
    const kit = kitWithGroups();
    const response = await final(kit, { name: meta, input: { web: "true" } });
    expect(texts([response])).toEqual(['Active groups now: "web".\n\n## About the tool group "web"\nCite every page.']);
    expect(names(kit)).toEqual([meta, "search", "now"]);
    expect(texts([await final(kit, { name: meta })])[0]).toContain("No group is active");
    expect(names(kit)).toEqual([meta, "now"]);
  });

  it("should check everything before it changes anything", async () => {
    const kit = kitWithGroups();
    const response = await final(kit, { name: meta, input: { web: true, mail: "maybe" } });
    expect(response).toMatchObject({ status: "error", error: { issues: [{ path: "mail", expected: "boolean" }] } });
    expect(names(kit)).toEqual([meta, "send", "now"]);
  });

  it("should report groups that don't exist", async () => {
    const response = await final(kitWithGroups(), { name: meta, input: { web: true, wep: true } });
    expect(response.metadata).toEqual({ warnings: ['There is no group "wep".'] });
    expect(texts([response])[0]).toMatch(/^There is no group "wep"\.\n\nActive groups now: "web"\./);
  });

  it("should give way to a tool of that name, and stay away once removed", () => {
    const kit = new Toolkit();
    kit.registerToolFunction(() => 1, { name: meta, description: "mine" });
    expect(kit.createToolGroup("a", { description: "d" })[0]).toContain("already");
    expect(() => kit.enableMetaTool()).toThrow(expect.objectContaining({ code: "toolkit/name-clash" }));
    expect(kit.definitions()[0]?.description).toBe("mine");
    const other = kitWithGroups();
    other.removeToolFunction(meta);
    other.createToolGroup("more", { description: "d" });
    expect(names(other)).toEqual(["send", "now"]);
    other.enableMetaTool();
    expect(names(other)).toContain(meta);
  });
});

describe("a toolkit as the source of an agent's tools", () => {
  const tool = (name: string) => defineTool({ name, description: "d", execute: () => 1 });
  const names = (kit: Toolkit): string[] => kit.definitions().map(({ name }) => name);

  it("gives the same list as long as nothing has changed", () => {
    const kit = new Toolkit();
    kit.createToolGroup("web", { description: "Pages." });
    kit.registerToolFunction(tool("a"));
    const first = kit.definitions();
    kit.registerToolFunction(tool("hidden"), { groupName: "web" });
    expect(kit.definitions()).toBe(first);
    kit.updateToolGroups(["web"], true);
    expect(names(kit)).toEqual(["reset_equipped_tools", "a", "hidden"]);
    expect(kit.definitions()).not.toBe(first);
  });

  it("tells once of changes that come together, after them, and not of none", async () => {
    const kit = new Toolkit();
    const heard: string[][] = [];
    const end = kit.onChange(() => heard.push(names(kit)));
    kit.registerToolFunction(tool("a"));
    kit.registerToolFunction(tool("b"));
    expect(heard).toEqual([]);
    await Promise.resolve();
    expect(heard).toEqual([["a", "b"]]);
    kit.registerToolFunction(tool("c"));
    kit.removeToolFunction("c");
    await Promise.resolve();
    kit.loadState({ activeGroups: [] });
    await Promise.resolve();
    expect(heard).toHaveLength(1);
    kit.createToolGroup("web", { description: "Pages." });
    await Promise.resolve();
    kit.removeToolGroups(["web"]);
    await Promise.resolve();
    kit.clear();
    await Promise.resolve();
    expect(heard.slice(1).map((now) => now.length)).toEqual([3, 3, 0]);
    end();
    kit.registerToolFunction(tool("a"));
    await Promise.resolve();
    expect(heard).toHaveLength(4);
  });
});

it("should refuse names that are none, before anything changes", async () => {
  const kit = new Toolkit();
  kit.createToolGroup("web", { description: "Pages." });
  for (const names of [[5], ["web", null], "web", { 0: "web" }, [undefined], [["web"]]] as never[]) {
    expect(() => kit.removeToolGroups(names)).toThrow(TypeError);
    expect(() => kit.updateToolGroups(names, true)).toThrow(TypeError);
    expect(() => kit.definitions(names)).toThrow(TypeError);
    await expect(async () => kit.removeMcpClients(names)).rejects.toThrow(TypeError);
  }
  expect([...kit.groups.keys()]).toEqual(["basic", "web"]);
});
