import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AnyTool, contentText } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import * as fileSystem from "../../../src/agentscope/file-system/index.ts";
import { dangerousTextIo, insertTextFile, viewTextFile, writeTextFile } from "../../../src/agentscope/raw/index.ts";
import * as main from "../../../src/index.ts";
import { call, setPolicy, temporaryFolder } from "./call.ts";

describe("the policy", () => {
  it.each<[string | undefined, string | undefined, string]>([
    [undefined, undefined, "warn"],
    ["deny", undefined, "deny"],
    ["allow", undefined, "allow"],
    ["warn", undefined, "warn"],
    [" DENY ", undefined, "deny"],
    ["forbid", undefined, "warn"],
    ["", undefined, "warn"],
    [undefined, "deny", "deny"],
    [undefined, "allow", "allow"],
    ["", "deny", "deny"],
    ["allow", "deny", "allow"],
    ["deny", "allow", "deny"],
    [undefined, "nonsense", "warn"],
  ])("should be, with %j and AgentScope's %j, %s", (own, agentScope, expected) => {
    const env = { TOOLGLOT_DANGEROUS_TEXT_IO: own, AGENTSCOPE_DANGEROUS_TEXT_IO: agentScope };
    expect(dangerousTextIo(env)).toBe(expected);
  });
});

/** Each tool with an input that works on a file with one line, and inputs that end in errors. */
const cases: [AnyTool, object, object[]][] = [
  [viewTextFile, {}, [{ ranges: [5, 9] }, { ranges: [1] }]],
  [writeTextFile, { content: "new\n" }, [{ content: "x", ranges: [5, 9] }, { content: "\ud800" }]],
  [
    insertTextFile,
    { content: "new", line_number: 1 },
    [
      { content: "x", line_number: 9 },
      { content: "x", line_number: 0 },
    ],
  ],
];

describe.each(cases.map(([tool, ...rest]) => [tool.name, tool, ...rest] as const))("%s", (_name, tool, good, bad) => {
  function file(): string {
    const path = join(temporaryFolder(), "a.txt");
    writeFileSync(path, "one\n");
    return path;
  }

  it("should mark responses and warn, by default", async () => {
    setPolicy(undefined);
    const path = file();
    const { status, metadata } = await call(tool, { file_path: path, ...good });
    expect(status).toBe("ok");
    expect(metadata).toMatchObject({
      dangerous_io: true,
      policy: "warn",
      tool: tool.name,
      path,
      blocked: false,
      reason: "bypass_filesystem",
    });
    expect(metadata?.warnings).toEqual([expect.stringContaining(path)]);
  });

  it("should mark responses in silence when it is allowed", async () => {
    setPolicy("allow");
    const { status, metadata } = await call(tool, { file_path: file(), ...good });
    expect(status).toBe("ok");
    expect(metadata).toMatchObject({ dangerous_io: true, policy: "allow", blocked: false });
    expect(metadata).not.toHaveProperty("warnings");
  });

  it.each([
    ["deny", undefined],
    [undefined, "deny"],
  ])("should do nothing with %j and %j", async (own, agentScope) => {
    setPolicy(own, agentScope);
    const path = file();
    const { status, error, content, metadata } = await call(tool, { file_path: path, ...good });
    expect(status).toBe("denied");
    expect(error?.type).toBe("Denied");
    expect(contentText(content)).toBe(
      "Blocked by policy: raw OS file access is disabled. Use FileSystem service tools instead.",
    );
    expect(metadata).toMatchObject({ dangerous_io: true, policy: "deny", blocked: true });
    expect(readFileSync(path, "utf8")).toBe("one\n");
  });

  it("should not even say whether a file is there when it is denied", async () => {
    setPolicy("deny");
    const missing = join(temporaryFolder(), "none");
    expect((await call(tool, { file_path: missing, ...good })).status).toBe("denied");
  });

  it.each(bad)("should mark errors as well: %j", async (input) => {
    setPolicy(undefined);
    const path = file();
    const { status, metadata, error } = await call(tool, { file_path: path, ...good, ...input });
    expect(status).toBe("error");
    expect(error?.type).toMatch(/^Invalid/);
    expect(metadata).toMatchObject({ dangerous_io: true, path });
    expect(readFileSync(path, "utf8")).toBe("one\n");
  });

  it.each([
    ["a missing folder", (folder: string) => join(folder, "none/a.txt")],
    ["a folder", (folder: string) => folder],
    ["a path through a file", (folder: string) => join(folder, "f/a.txt")],
    ["no path", () => ""],
    ["a NUL", () => "a\0b"],
    ["a name that is too long", (folder: string) => join(folder, "x".repeat(300))],
  ])("should mark errors as well: %s", async (_, pathOf) => {
    setPolicy(undefined);
    const folder = temporaryFolder();
    writeFileSync(join(folder, "f"), "file");
    const { status, metadata } = await call(tool, { file_path: pathOf(folder), ...good });
    expect(status).toBe("error");
    expect(metadata).toMatchObject({ dangerous_io: true, blocked: false });
    expect(readdirSync(folder)).toEqual(["f"]);
  });

  it("should say what it is", () => {
    expect(tool.annotations).toMatchObject({ readOnlyHint: tool === viewTextFile, riskTier: "HIGH" });
  });
});

it("should be part of no other entry, and of no set of tools", () => {
  const names = ["view_text_file", "write_text_file", "insert_text_file", "execute_shell_command"];
  const exported = [...Object.values(fileSystem), ...Object.values(main)].flat();
  const offered = exported.map((one) => (one as { name?: unknown } | null)?.name);
  expect(offered).toContain("read_text_file");
  for (const name of names) expect(offered).not.toContain(name);
});
