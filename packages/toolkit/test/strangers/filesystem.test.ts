import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { contentText } from "@toolglot/core";
import { expect, it } from "vitest";
import { Toolkit } from "../../src/index.ts";
import { clientOf, filesystemPath, scratch } from "../mcp/support.ts";
import { final } from "../support.ts";

it("the file system server: writes, reads and lists in its folder, and nowhere else", async () => {
  const folder = realpathSync(scratch());
  const transport = { type: "stdio" as const, command: process.execPath, args: [filesystemPath(), folder] };
  const kit = new Toolkit();
  kit.createToolGroup("files", { description: "Files.", active: true });
  const warnings = await kit.registerMcpClient(clientOf({ name: "files", transport }), {
    groupName: "files",
    disableTools: ["move_file"],
    presetsByTool: { list_directory: { path: folder } },
    timeoutMs: 10_000,
  });
  expect(warnings).toEqual([]);
  expect(kit.registered.has("move_file")).toBe(false);
  expect(kit.registered.get("read_text_file")).toMatchObject({ groupName: "files", timeoutMs: 10_000 });

  const path = join(folder, "a.txt");
  expect(await final(kit, { name: "write_file", input: { path, content: "hello\n" } })).toMatchObject({ status: "ok" });
  expect(readFileSync(path, "utf8")).toBe("hello\n");
  expect(contentText((await final(kit, { name: "read_text_file", input: { path } })).content)).toContain("hello");

  // The folder is preset: not shown, and not for the model to set.
  expect(kit.registered.get("list_directory")?.definition.inputSchema.properties).toEqual({});
  const listed = await final(kit, { name: "list_directory", input: { path: "/" } });
  expect(contentText(listed.content)).toContain("[FILE] a.txt");
  expect(listed.metadata?.warnings).toEqual([expect.stringContaining("the preset stands")]);

  const outside = join(folder, "..", "outside.txt");
  const refused = await final(kit, { name: "write_file", input: { path: outside, content: "x" } });
  expect(refused).toMatchObject({ status: "error", error: { type: "ToolError" } });
  expect(refused.error?.message).toContain("outside allowed directories");
  expect(existsSync(outside)).toBe(false);

  expect(await kit.removeMcpClients(["files"])).toEqual([]);
  expect([...kit.registered.keys()]).toEqual(["reset_equipped_tools"]);
});
