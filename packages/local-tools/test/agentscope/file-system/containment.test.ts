import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { rounds } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { FileDomainService } from "../../../src/agentscope/file-system/index.ts";
import { type LogicalPlace, Mount } from "../../../src/agentscope/file-system/mount.ts";
import type { Namespace } from "../../../src/agentscope/file-system/namespaces.ts";
import { makePlace, type Place, refusal, refusalText } from "./place.ts";

const secret = "outside all namespaces";

/** A place with a secret beside it, and links of all kinds in the workspace. */
function hostile(): Place & { outside: string; workspace: string } {
  const place = makePlace();
  const outside = join(place.root, "secret.txt");
  const workspace = join(place.root, "base/workspace");
  writeFileSync(outside, secret);
  place.put("internal/key.txt", "internal");
  place.put("workspace/own.txt", "own");
  mkdirSync(join(place.root, "folder"));
  writeFileSync(join(place.root, "folder/a.txt"), secret);
  symlinkSync(outside, join(workspace, "to-file"));
  symlinkSync("../../secret.txt", join(workspace, "to-file-relative"));
  symlinkSync(join(place.root, "folder"), join(workspace, "to-folder"));
  symlinkSync("..", join(workspace, "up"));
  symlinkSync("../internal", join(workspace, "to-internal"));
  symlinkSync("/", join(workspace, "to-root"));
  symlinkSync(join(place.root, "none"), join(workspace, "dangling"));
  symlinkSync("own.txt", join(workspace, "to-own"));
  symlinkSync("to-file", join(workspace, "twice"));
  return { ...place, outside, workspace };
}

/** Everything a handle can do with a path. */
function everything({ handle }: Place, path: string): [string, () => Promise<unknown>][] {
  return [
    ["file", () => handle.file(path)],
    ["readFile", () => handle.readFile(path)],
    ["readBinary", () => handle.readBinary(path)],
    ["readRe", () => handle.readRe(path, ".*")],
    ["list", () => handle.list(path)],
    ["children", () => handle.children(path)],
    ["write", () => handle.write(path, "overwritten")],
    ["write new", () => handle.write(path, "overwritten", { overwrite: false })],
    ["update", () => handle.update(path, () => "overwritten")],
    ["delete", () => handle.delete(path)],
  ];
}

const refused = ["AccessDenied", "OutsideRoots", "InvalidPath", "NotFound", "NotADirectory", "NotAFile"];

describe("paths that mean something outside", () => {
  it.each([
    "/workspace/../internal/key.txt",
    "/workspace/../../secret.txt",
    "/workspace/..",
    "/workspace/a/../../internal/key.txt",
    "/workspace/./../internal/key.txt",
    "/../secret.txt",
    "/etc/passwd",
    "/proc/self/root/etc/passwd",
    "/proc/self/cwd",
    "/dev/stdin",
    "/",
    "/Workspace/own.txt",
    "/WORKSPACE/own.txt",
    "/workspace./own.txt",
    "/workspaces/own.txt",
    "workspace/own.txt",
    "~/.ssh/id_rsa",
    "C:\\Windows\\win.ini",
    "/workspace\\..\\internal\\key.txt",
    "//workspace/own.txt",
    "/workspace//../internal/key.txt",
    "file:///etc/passwd",
    "",
  ])("should all refuse %j", async (path) => {
    const place = hostile();
    for (const [, act] of everything(place, path)) expect(refused).toContain(await refusal(act()));
    expect(readFileSync(place.outside, "utf8")).toBe(secret);
  });
});

describe("links that lead out", () => {
  it.each([
    "/workspace/to-file",
    "/workspace/to-file-relative",
    "/workspace/to-folder",
    "/workspace/to-folder/a.txt",
    "/workspace/to-folder/new.txt",
    "/workspace/to-folder/new/deep.txt",
    "/workspace/up/internal/key.txt",
    "/workspace/to-internal",
    "/workspace/to-internal/key.txt",
    "/workspace/to-internal/new.txt",
    "/workspace/to-root/etc/passwd",
    "/workspace/to-root/proc/self/root/etc/passwd",
    "/workspace/dangling",
    "/workspace/dangling/new.txt",
    "/workspace/twice",
  ])("should refuse everything with %s, and tell no real path", async (path) => {
    const place = hostile();
    for (const [name, act] of everything(place, path)) {
      const text = await refusalText(act());
      expect(text, name).not.toContain(place.root);
      expect(text, name).not.toContain("secret");
      expect(text, name).not.toContain("passwd'");
    }
    expect(readFileSync(place.outside, "utf8")).toBe(secret);
    expect(readdirSync(join(place.root, "folder"))).toEqual(["a.txt"]);
    expect(readFileSync(join(place.root, "base/internal/key.txt"), "utf8")).toBe("internal");
    expect(readdirSync(join(place.root, "base/internal"))).toEqual(["key.txt"]);
    expect(existsSync(join(place.root, "none"))).toBe(false);
  });

  it("should be left out of lists and searches", async () => {
    const place = hostile();
    expect((await place.handle.list("/workspace/")).map(({ path }) => path)).toEqual([
      "/workspace/own.txt",
      "/workspace/to-own",
    ]);
    expect(await place.service.listDirectory("/workspace/")).toEqual(["[FILE] own.txt", "[FILE] to-own"]);
    expect(await place.service.searchFiles("/workspace/", "*")).toEqual(["/workspace/own.txt", "/workspace/to-own"]);
  });

  it("should be followed where they stay inside", async () => {
    const { handle, workspace } = hostile();
    expect(await handle.readFile("/workspace/to-own")).toBe("own");
    await handle.write("/workspace/to-own", "changed");
    expect(await handle.readFile("/workspace/own.txt")).toBe("changed");
    expect(readdirSync(workspace)).toContain("to-own");
  });

  it.skipIf(process.platform !== "linux")("should refuse the process's own root", async () => {
    const place = hostile();
    symlinkSync("/proc/self/root", join(place.workspace, "proc"));
    symlinkSync("/proc/self/cwd", join(place.workspace, "cwd"));
    for (const path of [
      `/workspace/proc${place.outside}`,
      "/workspace/proc/etc/passwd",
      "/workspace/cwd/package.json",
    ]) {
      for (const [, act] of everything(place, path)) expect(await refusal(act())).toBe("OutsideRoots");
    }
  });
});

describe("links that leave a grant", () => {
  it("should be refused, though they stay in the namespace", async () => {
    const { fs, put, root } = makePlace();
    put("workspace/private/key", "key");
    put("workspace/public/a", "a");
    symlinkSync("../private", join(root, "base/workspace/public/folder"));
    symlinkSync("../private/key", join(root, "base/workspace/public/file"));
    const ops = ["list", "stat", "read", "write", "delete"] as const;
    const handle = fs.createHandle([{ prefix: "/workspace/public/", ops }]);
    for (const path of ["/workspace/public/folder/key", "/workspace/public/file", "/workspace/public/folder/new"]) {
      for (const [, act] of everything({ handle } as Place, path)) expect(await refusal(act())).toBe("AccessDenied");
    }
    expect(readFileSync(join(root, "base/workspace/private/key"), "utf8")).toBe("key");
    expect((await handle.list()).map(({ path }) => path)).not.toContain("/workspace/public/folder/key");
  });
});

describe("what is no file", () => {
  it.skipIf(process.platform === "win32")("should refuse a pipe without waiting for it", async () => {
    const { handle, root } = makePlace();
    execFileSync("mkfifo", [join(root, "base/workspace/pipe")]);
    expect(await refusal(handle.readFile("/workspace/pipe"))).toBe("NotAFile");
    expect(await refusal(handle.write("/workspace/pipe", "x"))).toBe("NotAFile");
    expect(await refusal(handle.delete("/workspace/pipe"))).toBe("NotAFile");
    expect(await handle.list("/workspace/")).toEqual([]);
  });

  it("should not write through a hard link's other name", async () => {
    const { handle, root } = hostile();
    linkSync(join(root, "secret.txt"), join(root, "base/workspace/hard"));
    await handle.write("/workspace/hard", "new");
    expect(readFileSync(join(root, "secret.txt"), "utf8")).toBe(secret);
  });
});

describe("changes between looking and acting", () => {
  it("should lead nowhere outside, whatever is swapped in", async () => {
    const place = makePlace();
    const { handle, root, put } = place;
    const outside = join(root, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "f"), secret);
    put("workspace/d/f", "inside");
    const folder = join(root, "base/workspace/d");
    let swaps = true;
    const times = rounds(60, 600);
    const swap = (put: () => void): Promise<void> => {
      try {
        rmSync(folder, { recursive: true, force: true });
        put();
      } catch {
        // The handle was quicker: the next round swaps again.
      }
      return new Promise((resolve) => setImmediate(resolve));
    };
    const swapper = (async () => {
      while (swaps) {
        await swap(() => symlinkSync(outside, folder));
        await swap(() => {
          mkdirSync(folder);
          writeFileSync(join(folder, "f"), "inside");
        });
      }
    })();
    const seen = new Set<string>();
    for (let round = 0; round < times; round += 1) {
      const path = "/workspace/d/f";
      const results = await Promise.allSettled([
        handle.readFile(path),
        handle.write("/workspace/d/g", "mine"),
        handle.list("/workspace/").then((all) => all.map((one) => one.path).join()),
        handle.delete("/workspace/d/g"),
      ]);
      const [read] = results;
      if (read.status === "fulfilled") seen.add(read.value);
      for (const result of results) {
        if (result.status === "rejected") await refusal(Promise.reject(result.reason as Error));
      }
    }
    swaps = false;
    await swapper;
    expect([...seen].filter((text) => text !== "inside" && text !== "")).toEqual([]);
    expect(readdirSync(outside)).toEqual(["f"]);
    expect(readFileSync(join(outside, "f"), "utf8")).toBe(secret);
  }, 120_000);

  it.each<[string, (mount: Mount, file: LogicalPlace, folder: LogicalPlace) => Promise<unknown>]>([
    ["read", (mount, file) => mount.read(file, 1000)],
    ["meta", (mount, file) => mount.meta(file)],
    ["write", (mount, file) => mount.write(file, Buffer.from("overwritten"), { overwrite: true })],
    ["children", (mount, _, folder) => mount.children(folder, { left: 100 })],
    ["remove", (mount, file, folder) => mount.remove(file.asked, folder)],
  ])("should refuse to %s what became a link right after it was looked at", async (_, act) => {
    const { root, put, fs } = makePlace();
    const outside = join(root, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "f"), secret);
    put("workspace/d/f", "inside");
    const namespace = { name: "workspace", prefix: "/workspace/", rights: new Set() } as unknown as Namespace;
    const mount = new Mount(namespace, fs.directory("workspace") as string);
    const file = await mount.locate("/workspace/d/f");
    const folder = await mount.locate("/workspace/d");
    renameSync(join(root, "base/workspace/d"), join(root, "base/workspace/aside"));
    symlinkSync(outside, join(root, "base/workspace/d"));
    expect(["FileChanged", "OutsideRoots"]).toContain(await refusal(act(mount, file, folder)));
    expect(readdirSync(outside)).toEqual(["f"]);
    expect(readFileSync(join(outside, "f"), "utf8")).toBe(secret);
  });

  it.each<[string, (mount: Mount, file: LogicalPlace) => Promise<unknown>]>([
    ["read", (mount, file) => mount.read(file, 1000)],
    ["write", (mount, file) => mount.write(file, Buffer.from("overwritten"), { overwrite: true })],
  ])("should refuse to %s a file that became a link right after it was looked at", async (_, act) => {
    const { root, put, fs } = makePlace();
    writeFileSync(join(root, "outside"), secret);
    const inside = put("workspace/f", "inside");
    const namespace = { name: "workspace", prefix: "/workspace/", rights: new Set() } as unknown as Namespace;
    const mount = new Mount(namespace, fs.directory("workspace") as string);
    const file = await mount.locate("/workspace/f");
    rmSync(inside);
    symlinkSync(join(root, "outside"), inside);
    expect(await refusal(act(mount, file))).toBe("FileChanged");
    expect(readFileSync(join(root, "outside"), "utf8")).toBe(secret);
  });

  it("should refuse when the directory itself was moved away", async () => {
    const { handle, root, put } = makePlace();
    put("workspace/a", "x");
    renameSync(join(root, "base/workspace"), join(root, "base/moved"));
    symlinkSync(join(root, "base/internal"), join(root, "base/workspace"));
    put("internal/a", "internal");
    expect(await refusalText(handle.readFile("/workspace/a"))).toBe(
      "The folder behind /workspace/ is not there any more.",
    );
  });
});

it("should take a service for a service only from a handle", () => {
  expect(() => new FileDomainService({} as never)).toThrow(TypeError);
  expect(FileDomainService.isInstance({ readTextFile: () => "" })).toBe(false);
});
