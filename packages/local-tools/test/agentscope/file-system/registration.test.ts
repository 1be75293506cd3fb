import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecutorContext, Plan, ToolResult } from "@toolglot/core";
import { contentText } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { Toolkit, type ToolResponse, toolkitExecutor } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";
import {
  builtinGrants,
  deleteFile,
  describePermissions,
  FileDomainService,
  fileSystemTools,
  readTextFile,
  registerFileSystemTools,
  stat,
  writeFile,
} from "../../../src/agentscope/file-system/index.ts";
import { makePlace } from "./place.ts";

async function call(kit: Toolkit, name: string, input: unknown): Promise<ToolResponse> {
  let last: ToolResponse | undefined;
  for await (const response of kit.callToolFunction({ name, input })) last = response;
  return last as ToolResponse;
}

const context = executorContext({
  approve: async () => ({ approved: true }),
  runId: "r",
});

describe("registration", () => {
  it("should register AgentScope's ten under their names", () => {
    const kit = new Toolkit();
    expect(registerFileSystemTools(kit, makePlace().service)).toEqual([]);
    expect([...kit.registered.keys()].sort()).toEqual([
      "delete_file",
      "edit_file",
      "get_file_info",
      "list_allowed_directories",
      "list_directory",
      "list_directory_with_sizes",
      "read_multiple_files",
      "read_text_file",
      "search_files",
      "write_file",
    ]);
  });

  it("should show the model nothing of the service", () => {
    const kit = new Toolkit();
    registerFileSystemTools(kit, makePlace().service);
    const shown = JSON.stringify([kit.getJsonSchemas(), kit.definitions()]);
    expect(shown).not.toContain("service");
    expect(shown).toContain("start_line");
    for (const { inputSchema } of kit.definitions()) expect(inputSchema.required ?? []).not.toContain("service");
    expect(() => JSON.stringify(kit.saveState({ registrations: true }))).not.toThrow();
  });

  it("should drop a service that the model gives, and report it", async () => {
    const { service, put } = makePlace();
    const other = makePlace();
    put("workspace/a", "mine");
    other.put("workspace/a", "other");
    const kit = new Toolkit();
    registerFileSystemTools(kit, service);
    for (const given of [other.service, "x", { readTextLines: () => "x" }, null]) {
      const { content, metadata } = await call(kit, "read_text_file", { path: "/workspace/a", service: given });
      expect(contentText(content)).toContain("line1: mine");
      expect(metadata?.warnings).toEqual(["The input set service, which the host has preset: the preset stands."]);
    }
  });

  it("should register one tool by hand, with the preset", async () => {
    const { service, put } = makePlace();
    put("userinput/a", "123");
    const kit = new Toolkit();
    expect(kit.registerToolFunction(stat, { presets: { service } })).toEqual([]);
    kit.registerToolFunction(describePermissions, { presets: { service } });
    expect(contentText((await call(kit, "stat", { path: "/userinput/a" })).content)).toContain("size: 3");
    expect(contentText((await call(kit, "fs_describe_permissions_markdown", {})).content)).toBe(
      "/internal/: ls, stat, read, write\n/userinput/: ls, stat, read\n/workspace/: ls, stat, read, write, delete",
    );
  });

  it("should do nothing without the preset", async () => {
    const kit = new Toolkit();
    kit.registerToolFunction(readTextFile);
    const { status, error } = await call(kit, "read_text_file", { path: "/etc/passwd", service: { isInstance: true } });
    expect(status).toBe("error");
    expect(error?.message).toContain("presets: { service }");
  });

  it("should be all or nothing", () => {
    const { service } = makePlace();
    const kit = new Toolkit();
    kit.registerToolFunction(() => 1, { name: "delete_file", description: "Mine." });
    expect(() => registerFileSystemTools(kit, service)).toThrow("delete_file");
    expect([...kit.registered.keys()]).toEqual(["delete_file"]);
    expect(registerFileSystemTools(kit, service, { namesakeStrategy: "skip" })).toHaveLength(1);
    expect(kit.registered.get("delete_file")?.definition.description).toBe("Mine.");
  });

  it("should put them in a group, and take some of them", () => {
    const { service } = makePlace();
    const kit = new Toolkit();
    kit.createToolGroup("files", { description: "Files." });
    registerFileSystemTools(kit, service, { groupName: "files", tools: [readTextFile, writeFile] });
    expect(kit.definitions(["files"]).map(({ name }) => name)).toEqual(["read_text_file", "write_file"]);
    expect(() => registerFileSystemTools(kit, {} as FileDomainService)).toThrow(TypeError);
  });

  it("should keep two services apart in two toolkits", async () => {
    const { fs, put } = makePlace();
    put("workspace/a/x", "A");
    const kits = ["read", "write"].map((op) => {
      const kit = new Toolkit();
      registerFileSystemTools(
        kit,
        new FileDomainService(fs.createHandle([{ prefix: "/workspace/a/", ops: [op as never] }])),
      );
      return kit;
    }) as [Toolkit, Toolkit];
    expect((await call(kits[0], "read_text_file", { path: "/workspace/a/x" })).status).toBe("ok");
    expect((await call(kits[0], "write_file", { path: "/workspace/a/x", content: "" })).error?.type).toBe(
      "AccessDenied",
    );
    expect((await call(kits[1], "read_text_file", { path: "/workspace/a/x" })).error?.type).toBe("AccessDenied");
    expect((await call(kits[1], "write_file", { path: "/workspace/a/x", content: "B" })).status).toBe("ok");
  });
});

describe("annotations", () => {
  it("should say what reads, what destroys, and what may be repeated", () => {
    const said = Object.fromEntries(fileSystemTools.map(({ name, annotations = {} }) => [name, annotations]));
    for (const name of [
      "read_text_file",
      "list_directory",
      "search_files",
      "get_file_info",
      "list_allowed_directories",
    ]) {
      expect(said[name]).toMatchObject({ readOnlyHint: true, idempotentHint: true, openWorldHint: false });
    }
    expect(said.write_file).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
    expect(said.edit_file).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: false });
    expect(said.delete_file).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
  });

  it("should have the host asked before anything is written, unless told otherwise", async () => {
    const { service, put } = makePlace();
    put("workspace/a", "x");
    const asked: string[] = [];
    const ask: ExecutorContext = {
      ...context,
      approve: async ({ tool = "" }) => {
        asked.push(tool);
        return { approved: false };
      },
    };
    const run = async (kit: Toolkit): Promise<ToolResult[]> => {
      const calls = [
        { id: "1", name: "read_text_file", input: { path: "/workspace/a" }, protocol: "native" },
        { id: "2", name: "delete_file", input: { path: "/workspace/a" }, protocol: "native" },
      ];
      return toolkitExecutor(kit).execute({ kind: "calls", calls, span: { start: 0, end: 9 } }, ask);
    };
    const kit = new Toolkit();
    registerFileSystemTools(kit, service);
    expect((await run(kit)).map(({ status }) => status)).toEqual(["ok", "denied"]);
    expect(asked).toEqual(["delete_file"]);
    const trusting = new Toolkit();
    registerFileSystemTools(trusting, service, { requiresApproval: false });
    expect((await run(trusting)).map(({ status }) => status)).toEqual(["ok", "ok"]);
    expect(deleteFile.annotations).not.toHaveProperty("requiresApproval");
  });
});

it("should work as steps of a plan", async () => {
  const { service, root, fs } = makePlace();
  const kit = new Toolkit();
  registerFileSystemTools(kit, service);
  const step = (index: number, tool: string, params: Record<string, unknown>): Plan["steps"][number] => ({
    index,
    callId: `c${index}`,
    tool,
    params,
    uris: {},
    onError: "stop",
    retry: 0,
    errors: [],
    span: { start: index, end: index + 1 },
  });
  const plan: Plan = {
    common: {},
    steps: [
      step(0, "write_file", { path: "/workspace/report.md", content: "# Draft\n" }),
      step(1, "edit_file", { path: "/workspace/report.md", edits: [{ oldText: "Draft", newText: "Report" }] }),
      step(2, "read_text_file", { path: "/workspace/report.md", with_header: false }),
      step(3, "write_file", { path: "/userinput/report.md", content: "no" }),
      step(4, "delete_file", { path: "/workspace/report.md" }),
    ],
  };
  const results = await toolkitExecutor(kit).execute({ kind: "plan", plan, span: { start: 0, end: 9 } }, context);
  expect(results.map(({ status, error }) => error?.type ?? status)).toEqual([
    "ok",
    "ok",
    "ok",
    "AccessDenied",
    "NotRun",
  ]);
  expect(contentText(results[2]?.content ?? [])).toBe("line1: # Report");
  expect(readFileSync(join(root, "base/workspace/report.md"), "utf8")).toBe("# Report\n");
  expect(fs.createHandle(builtinGrants("workspace")).prefixes).toEqual(["/workspace/"]);
});
