import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Toolkit } from "../src/index.ts";
import { readAgentSkill } from "../src/node/index.ts";

let dir = "";
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "toolkit-skills-"));
});
afterAll(() => rm(dir, { recursive: true }));

async function read(text: string): Promise<{ name: string; description: string }> {
  await writeFile(join(dir, "SKILL.md"), text);
  const { name, description, dir: found } = await readAgentSkill(dir);
  expect(found).toBe(dir);
  return { name, description };
}

it.each([
  ["plain values", "---\nname: pdf\ndescription: Reads PDFs. # not this\n---\nText", "pdf", "Reads PDFs."],
  ["another system's line ends", "---\r\nname: pdf\r\ndescription: Reads.\r\n---\r\n", "pdf", "Reads."],
  ["a byte order mark", "\ufeff---\nname: pdf\ndescription: Reads.\n---", "pdf", "Reads."],
  ["quotes", `---\nname: 'a ''b'''\ndescription: "c \\"d\\" # e"\n---`, "a 'b'", 'c "d" # e'],
  ["folded lines", "---\ndescription: >-\n  one\n  two\nname: x\n---", "x", "one two"],
  ["literal lines", "---\ndescription: |\n  one\n  two\nname: x\n---", "x", "one\ntwo"],
  ["lines that go on", "---\nname: x\ndescription: one\n  two\nother:\n  - a\n---", "x", "one two"],
  ["a rare line break", "---\nname: x\ndescription: one\u2028two\n---", "x", "one\u2028two"],
])("should read a skill's name and description: %s", async (_what, text, name, description) => {
  expect(await read(text)).toEqual({ name, description });
});

it.each([
  ["no front matter", "name: x"],
  ["no name", "---\ndescription: d\n---"],
  ["no description", "---\nname: x\n---"],
])("should refuse a skill with %s", async (_what, text) => {
  await expect(read(text)).rejects.toThrow(TypeError);
});

it("should be told of once, and refuse a name that is taken", () => {
  const kit = new Toolkit();
  kit.registerAgentSkill({ name: "pdf", description: "Reads PDFs.", dir: "/skills/pdf/" });
  expect(kit.getAgentSkillPrompt()).toContain('"/skills/pdf/SKILL.md"');
  const again = { name: "pdf", description: "d", dir: "/other" };
  expect(() => kit.registerAgentSkill(again)).toThrow(expect.objectContaining({ code: "toolkit/name-clash" }));
  expect(() => kit.registerAgentSkill({ name: "", description: "d", dir: "/x" })).toThrow(TypeError);
  expect([kit.removeAgentSkill("pdf"), kit.removeAgentSkill("pdf")]).toEqual([true, false]);
});
