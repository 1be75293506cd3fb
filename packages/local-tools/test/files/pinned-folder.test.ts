import { execFileSync } from "node:child_process";
import { mkdir, rename, rm, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { localErrorType } from "../../src/errors.ts";
import { holdFolder, openIn } from "../../src/files/pinned-folder.ts";
import { Roots } from "../../src/files/roots.ts";
import { openedFile, scratchFolder } from "../support/scratch.ts";

afterEach(() => vi.unstubAllGlobals());

const files = {
  "in/a/x.txt": "inside",
  "in/a/b/y.txt": "deeper",
  "out/x.txt": "the secret",
  "out/b/y.txt": "the secret",
};

async function typeOf(opening: Promise<unknown> | (() => unknown)): Promise<string | undefined> {
  try {
    await (typeof opening === "function" ? opening() : opening);
    return "opened";
  } catch (error) {
    return localErrorType(error);
  }
}

/** Another system's way, on this one: what can't be held is looked at again. */
async function on<T>(platform: NodeJS.Platform, run: () => Promise<T>): Promise<T> {
  const own = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
  Object.defineProperty(process, "platform", { ...own, value: platform });
  try {
    return await run();
  } finally {
    Object.defineProperty(process, "platform", own);
  }
}

describe.runIf(process.platform === "linux")("a folder that is held", () => {
  it("stays the same folder when another takes its path", async () => {
    const scratch = await scratchFolder(files);
    const roots = await Roots.open([scratch.at("in")]);
    const held = roots.hold(scratch.at("in/a"));
    await rename(scratch.at("in/a"), scratch.at("in/moved"));
    await symlink("../out", scratch.at("in/a"));
    const opened = await openIn(held, "x.txt", "a/x.txt");
    expect(await opened.handle.readFile("utf8")).toBe("inside");
    expect((await held.entries()).map(({ name, kind }) => `${kind} ${name}`).sort()).toEqual([
      "directory b",
      "file x.txt",
    ]);
    const inner = held.folder("b");
    expect(inner.path).toBe(scratch.at("in/moved/b"));
    await opened.close();
    await inner.close();
    await held.close();
  });

  it("is refused when it is a link, or lies behind one, by now", async () => {
    const scratch = await scratchFolder(files);
    const roots = await Roots.open([scratch.at("in")]);
    await rename(scratch.at("in/a"), scratch.at("in/moved"));
    await symlink("../out", scratch.at("in/a"));
    expect(await typeOf(() => roots.hold(scratch.at("in/a")))).toBe("FileChanged");
    expect(await typeOf(() => roots.hold(scratch.at("in/a/b")))).toBe("OutsideRoots");
    expect(await typeOf(roots.openPlace(scratch.at("in/a/x.txt")))).toBe("FileChanged");
    expect(await typeOf(roots.openPlace(scratch.at("in/a/b/y.txt")))).toBe("OutsideRoots");
    // Behind a link that leads to another folder inside, what was decided for one name is not done with another.
    await rm(scratch.at("in/a"));
    await symlink("moved", scratch.at("in/a"));
    expect(await typeOf(roots.openPlace(scratch.at("in/a/b/y.txt")))).toBe("FileChanged");
    expect(await typeOf(() => roots.hold(scratch.at("in/none")))).toBe("NotFound");
  });

  it("leads to its folders, and through no link", async () => {
    const scratch = await scratchFolder(files);
    const roots = await Roots.open([scratch.at("in")]);
    await symlink("../../out", scratch.at("in/a/link"));
    const held = roots.hold(scratch.at("in/a"));
    const inner = roots.holdIn(held, "b");
    expect(inner.path).toBe(scratch.at("in/a/b"));
    expect(await typeOf(() => roots.holdIn(held, "link"))).toBe("FileChanged");
    expect(await typeOf(() => roots.holdIn(held, "x.txt"))).toBe("FileChanged");
    expect(await typeOf(() => roots.holdIn(held, "none"))).toBe("NotFound");
    await inner.close();
    // Moved out of the roots while it was held.
    await rename(scratch.at("in/a"), scratch.at("out/a"));
    expect(await typeOf(() => roots.holdIn(held, "b"))).toBe("OutsideRoots");
    await held.close();
  });
});

it("an entry's name is one name", async () => {
  const scratch = await scratchFolder(files);
  const held = holdFolder(scratch.at("in/a"));
  for (const name of ["", ".", "..", "../x", "b/y.txt", "/etc/passwd", "a\0b"])
    expect(() => held.at(name)).toThrow(TypeError);
  await expect(held.lstat("..")).rejects.toThrow(TypeError);
  expect(() => held.folder("..")).toThrow(TypeError);
  await held.close();
});

it("pipes, sockets and devices are looked at and not opened", async () => {
  const scratch = await scratchFolder(files);
  const roots = await Roots.open([scratch.at("in")]);
  execFileSync("mkfifo", [scratch.at("in/pipe")]);
  const server = createServer();
  await new Promise<void>((done) => server.listen(scratch.at("in/socket"), done));
  try {
    for (const name of ["pipe", "socket"]) {
      expect((await roots.locate(name)).kind).toBe("other");
      expect(await typeOf(openedFile(roots, name))).toBe("NotAFile");
      expect(await typeOf(roots.openPlace(scratch.at("in", name)))).toBe("NotAFile");
    }
    const devices = await Roots.open(["/dev"]);
    for (const name of ["null", "zero", "tty"])
      expect(await typeOf(devices.openPlace(`/dev/${name}`))).toBe("NotAFile");
  } finally {
    server.close();
  }
});

describe.runIf(process.platform === "linux")("where folders can't be held", () => {
  it("what was opened is compared with what is at the path", async () => {
    const scratch = await scratchFolder(files);
    for (const platform of ["darwin", "win32"] as const) {
      await on(platform, async () => {
        const held = holdFolder(scratch.at("in/a"));
        expect(held.pinned).toBe(false);
        expect(held.path).toBe(scratch.at("in/a"));
        const opened = await openIn(held, "x.txt", "x.txt");
        expect(await opened.handle.readFile("utf8")).toBe("inside");
        await opened.close();
        expect((await held.entries()).length).toBe(2);
        await held.close();
      });
    }
  });

  it("a folder that became a link between is noticed", async () => {
    const scratch = await scratchFolder(files);
    for (const platform of ["darwin", "win32"] as const) {
      const held = await on(platform, async () => holdFolder(scratch.at("in/a")));
      await rename(scratch.at("in/a"), scratch.at("in/moved"));
      await symlink("../out", scratch.at("in/a"));
      expect(await typeOf(openIn(held, "x.txt", "x.txt"))).toBe("FileChanged");
      await expect(on(platform, async () => holdFolder(scratch.at("in/a")))).rejects.toMatchObject({
        code: platform === "win32" ? "ELOOP" : "ENOTDIR",
      });
      await held.close();
      await rm(scratch.at("in/a"));
      await rename(scratch.at("in/moved"), scratch.at("in/a"));
    }
  });

  it("shares and streams of Windows are refused unseen", async () => {
    const scratch = await scratchFolder(files);
    const roots = await Roots.open([scratch.at("in")]);
    await on("win32", async () => {
      expect(await typeOf(roots.locate("\\\\server\\share\\x"))).toBe("OutsideRoots");
      expect(await typeOf(roots.locate("//server/share/x"))).toBe("OutsideRoots");
      expect(await typeOf(roots.locate("a/x.txt:stream"))).toBe("InvalidPath");
      expect(await typeOf(roots.locate("a/x.txt::$DATA"))).toBe("InvalidPath");
    });
  });
});

it("a folder without its permission says so", async () => {
  const scratch = await scratchFolder(files);
  const roots = await Roots.open([scratch.at("in")]);
  await mkdir(scratch.at("in/locked"), { mode: 0o000 });
  const found = await typeOf(() => roots.hold(scratch.at("in/locked")));
  expect(found).toBe(process.getuid?.() === 0 ? "opened" : "AccessDenied");
});
