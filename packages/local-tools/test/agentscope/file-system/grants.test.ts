import { describe, expect, it } from "vitest";
import {
  builtinGrant,
  builtinGrants,
  DiskFileSystem,
  type Grant,
  validatePath,
} from "../../../src/agentscope/file-system/index.ts";
import { makePlace, refusal, temporaryFolder } from "./place.ts";

describe("logical paths", () => {
  it.each([
    "/workspace/a.txt",
    "/internal/logs/run-1.json",
    "/userinput/corpus.md",
    "/workspace/a ",
    "/workspace/a..b",
    "/workspace/.env",
    "/workspace/...",
    "/x",
  ])("should take %j as it is", (path) => expect(validatePath(path)).toBe(path));

  it.each([
    "workspace/a.txt",
    "",
    "/workspace/../secret",
    "/workspace/..",
    "/workspace/./a",
    "/..",
    "/workspace/with*wildcard",
    "/workspace/with?query",
    "/workspace/double//slash",
    "//workspace/a",
    "/bad\\windows",
    "\u0001/ctrl",
    "/workspace/a\0b",
    "/workspace/a\nb",
    "/workspace/a\u007f",
  ])("should refuse %j", (path) => expect(() => validatePath(path)).toThrow("Invalid logical path"));

  it("should refuse what is no text", () => expect(() => validatePath(7)).toThrow("Invalid logical path: number"));
});

describe("rights of namespaces", () => {
  it("should let /userinput/ be read only", async () => {
    const { handle, put } = makePlace();
    put("userinput/a.txt", "given");
    expect(await handle.readFile("/userinput/a.txt")).toBe("given");
    expect(await refusal(handle.write("/userinput/a.txt", "x"))).toBe("AccessDenied");
    expect(await refusal(handle.write("/userinput/new.txt", "x"))).toBe("AccessDenied");
    expect(await refusal(handle.delete("/userinput/a.txt"))).toBe("AccessDenied");
    expect(await refusal(handle.update("/userinput/a.txt", () => "x"))).toBe("AccessDenied");
    expect(await handle.readFile("/userinput/a.txt")).toBe("given");
  });

  it("should let /workspace/ be read, written and deleted", async () => {
    const { handle } = makePlace();
    await handle.write("/workspace/out.txt", "payload");
    expect(await handle.readFile("/workspace/out.txt")).toBe("payload");
    await handle.delete("/workspace/out.txt");
    expect(await refusal(handle.readFile("/workspace/out.txt"))).toBe("NotFound");
  });

  it("should let /internal/ be read and written, never deleted", async () => {
    const { handle } = makePlace();
    await handle.write("/internal/run.log", "entry");
    expect(await handle.readFile("/internal/run.log")).toBe("entry");
    expect(await refusal(handle.delete("/internal/run.log"))).toBe("AccessDenied");
  });

  it.each<[string, Grant]>([
    ["write in /userinput/", { prefix: "/userinput/", ops: ["read", "write"] }],
    ["delete in /userinput/", { prefix: "/userinput/in/", ops: ["delete"] }],
    ["delete in /internal/", { prefix: "/internal/", ops: new Set(["delete"] as const) }],
    ["an unknown operation", { prefix: "/workspace/", ops: ["chmod" as never] }],
    ["no namespace", { prefix: "/etc/", ops: ["read"] }],
    ["the root", { prefix: "/", ops: ["read"] }],
    ["a namespace in other case", { prefix: "/Workspace/", ops: ["read"] }],
    ["a namespace's beginning", { prefix: "/work", ops: ["read"] }],
    ["a way out", { prefix: "/workspace/../internal/", ops: ["write"] }],
    ["no operations", { prefix: "/workspace/" } as Grant],
    ["text for operations", { prefix: "/workspace/", ops: "read" } as unknown as Grant],
    ["a property of objects", { prefix: "/workspace/", ops: ["constructor" as never] }],
  ])("should refuse a grant of %s", (_, grant) => {
    const { fs } = makePlace();
    expect(() => fs.createHandle([grant])).toThrow(TypeError);
  });

  it("should refuse a grant for a namespace without a directory", () => {
    const fs = new DiskFileSystem({ workspaceDir: `${temporaryFolder()}/w` });
    expect(fs.prefixes).toEqual(["/workspace/"]);
    expect(() => fs.createHandle(builtinGrants("internal"))).toThrow("There is no namespace for the grant /internal/");
  });

  it("should give built-in grants as copies", () => {
    builtinGrant("userinput").ops.add("write");
    expect([...builtinGrant("userinput").ops]).not.toContain("write");
    expect(() => builtinGrant("etc" as never)).toThrow(TypeError);
  });
});

describe("grants", () => {
  it("should allow nothing without grants", async () => {
    const { fs, put } = makePlace();
    put("workspace/a.txt");
    const handle = fs.createHandle([]);
    expect(await refusal(handle.readFile("/workspace/a.txt"))).toBe("AccessDenied");
    expect(await refusal(handle.file("/workspace/a.txt"))).toBe("AccessDenied");
    expect(await refusal(handle.list())).toBe("AccessDenied");
  });

  it.each<[string, (handle: ReturnType<typeof makePlace>["handle"]) => Promise<unknown>]>([
    ["list", (handle) => handle.list("/workspace/")],
    ["file", (handle) => handle.file("/workspace/a.txt")],
    ["read_binary", (handle) => handle.readBinary("/workspace/a.txt")],
    ["read_file", (handle) => handle.readFile("/workspace/a.txt")],
    ["read_re", (handle) => handle.readRe("/workspace/a.txt", "a")],
    ["write", (handle) => handle.write("/workspace/b.txt", "x")],
    ["delete", (handle) => handle.delete("/workspace/a.txt")],
  ])("should need %s for what it is, and nothing else", async (op, act) => {
    const { fs, put } = makePlace();
    put("workspace/a.txt", "a");
    const others = [...builtinGrant("workspace").ops].filter((other) => other !== op);
    expect(await refusal(act(fs.createHandle([{ prefix: "/workspace/", ops: others }])))).toBe("AccessDenied");
    await act(fs.createHandle([{ prefix: "/workspace/", ops: [op as never] }]));
  });

  it("should need both reading and writing for an update", async () => {
    const { fs, put } = makePlace();
    put("workspace/a.txt", "a");
    const writer = fs.createHandle([{ prefix: "/workspace/", ops: ["write"] }]);
    expect(await refusal(writer.update("/workspace/a.txt", (text) => text + text))).toBe("AccessDenied");
  });

  it("should take read and stat for short", async () => {
    const { fs, put } = makePlace();
    put("workspace/a.txt", "aba");
    const handle = fs.createHandle([{ prefix: "/workspace/", ops: ["read", "stat"] }]);
    expect(await handle.readFile("/workspace/a.txt")).toBe("aba");
    expect(await handle.readRe("/workspace/a.txt", "a")).toEqual(["a", "a"]);
    expect((await handle.file("/workspace/a.txt")).size).toBe(3);
    expect(await refusal(handle.write("/workspace/a.txt", ""))).toBe("AccessDenied");
  });

  it("should hold for whole names only", async () => {
    const { fs, put } = makePlace();
    put("workspace/rep/a.txt", "in");
    put("workspace/report/a.txt", "out");
    put("workspace/rep.txt", "out");
    for (const prefix of ["/workspace/rep/", "/workspace/rep"]) {
      const handle = fs.createHandle([{ prefix, ops: ["read"] }]);
      expect(await handle.readFile("/workspace/rep/a.txt")).toBe("in");
      expect(await refusal(handle.readFile("/workspace/report/a.txt"))).toBe("AccessDenied");
      expect(await refusal(handle.readFile("/workspace/rep.txt"))).toBe("AccessDenied");
    }
  });

  it("should hold for one file", async () => {
    const { fs, put } = makePlace();
    put("workspace/a.txt", "in");
    put("workspace/a.txt.bak", "out");
    const handle = fs.createHandle([{ prefix: "/workspace/a.txt", ops: ["read", "list"] }]);
    expect(await handle.readFile("/workspace/a.txt")).toBe("in");
    expect(await refusal(handle.readFile("/workspace/a.txt.bak"))).toBe("AccessDenied");
    expect((await handle.list()).map(({ path }) => path)).toEqual(["/workspace/a.txt"]);
  });

  it("should add up, and not change with the objects they came in", async () => {
    const { fs, put } = makePlace();
    put("workspace/a.txt", "a");
    const ops = new Set(["read"] as const);
    const grants = [
      { prefix: "/workspace/", ops },
      { prefix: "/internal/", ops: ["write"] as const },
    ];
    const handle = fs.createHandle(grants);
    ops.add("write" as never);
    grants[0] = { prefix: "/workspace/", ops: ["write"] as never };
    await handle.write("/internal/x", "x");
    expect(await handle.readFile("/workspace/a.txt")).toBe("a");
    expect(await refusal(handle.write("/workspace/a.txt", "b"))).toBe("AccessDenied");
  });

  it("should be told as AgentScope tells them", () => {
    const { fs } = makePlace();
    const handle = fs.createHandle([
      { prefix: "/workspace/", ops: ["read_re", "delete", "write", "list"] },
      { prefix: "/userinput/", ops: ["list", "file", "read_file"] },
      { prefix: "/workspace/", ops: ["file"] },
    ]);
    expect(handle.describeGrantsMarkdown()).toBe(
      "/userinput/: ls, stat, read\n/workspace/: ls, stat, read, write, delete",
    );
    expect(handle.prefixes).toEqual(["/userinput/", "/workspace/"]);
  });

  it("should say where an operation is allowed", async () => {
    const { fs } = makePlace();
    const handle = fs.createHandle(builtinGrants("userinput", "workspace"));
    await expect(handle.write("/userinput/a", "x")).rejects.toThrow(
      "Access denied for operation 'write' on path /userinput/a: it is allowed below /workspace/.",
    );
    await expect(handle.readFile("/etc/passwd")).rejects.toThrow("it is allowed below /userinput/, /workspace/.");
  });
});
