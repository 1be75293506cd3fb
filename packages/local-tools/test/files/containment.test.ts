import { execFileSync } from "node:child_process";
import { link, mkdir, open, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localErrorType } from "../../src/errors.ts";
import { Roots } from "../../src/files/roots.ts";
import { openedFile, type Scratch, scratchFolder } from "../support/scratch.ts";

const secret = "the secret";

/** `inside` is the root; `outside` and `inside-too`, whose name begins like the root's, are not. */
async function twoFolders(): Promise<{ scratch: Scratch; roots: Roots }> {
  const scratch = await scratchFolder({
    "inside/a.txt": "a",
    "inside/deep/er/b.txt": "b",
    "outside/secret.txt": secret,
    "outside/folder/secret.txt": secret,
    "inside-too/secret.txt": secret,
  });
  return { scratch, roots: await Roots.open([scratch.at("inside")]) };
}

async function refusal(promise: Promise<unknown>): Promise<{ type: string | undefined; message: string }> {
  const error = await promise.then(
    () => new Error("was not refused"),
    (thrown: unknown) => thrown,
  );
  return { type: localErrorType(error), message: error instanceof Error ? error.message : "" };
}

/** What is said, but for the path itself. */
async function verdict(roots: Roots, path: string): Promise<string> {
  const { type, message } = await refusal(roots.locate(path));
  return `${type}: ${message.replace(path, "…")}`;
}

describe("what leads outside is refused, the same whether it is there or not", () => {
  const ways: readonly (readonly [way: string, existing: string, missing: string])[] = [
    ["dots", "../outside/secret.txt", "../outside/nothing.txt"],
    ["dots from further in", "deep/er/../../../outside/secret.txt", "deep/er/../../../outside/nothing.txt"],
    ["dots over what isn't there", "no/../../outside/secret.txt", "no/../../outside/nothing.txt"],
    ["a folder whose name begins like the root's", "../inside-too/secret.txt", "../inside-too/nothing.txt"],
    ["a folder", "../outside", "../nowhere"],
    ["a folder, with a slash", "../outside/", "../nowhere/"],
    ["a file taken for a folder", "../outside/secret.txt/x", "../outside/nothing.txt/x"],
    ["a file with a slash", "../outside/secret.txt/", "../outside/nothing.txt/"],
    ["a name that is too long", `../outside/${"x".repeat(260)}`, `../nowhere/${"x".repeat(260)}`],
    ["the parent of all", "../../../../../../../../etc/passwd", "../../../../../../../../etc/nothing"],
  ];
  it.each(ways)("%s", async (_way, existing, missing) => {
    const { roots } = await twoFolders();
    expect(await verdict(roots, existing)).toBe("OutsideRoots: … is outside the folders that may be used.");
    expect(await verdict(roots, missing)).toBe(await verdict(roots, existing));
  });

  it("absolute paths", async () => {
    const { scratch, roots } = await twoFolders();
    const said = "OutsideRoots: … is outside the folders that may be used.";
    for (const path of [
      scratch.at("outside/secret.txt"),
      scratch.at("outside/nothing.txt"),
      "/",
      "/etc/passwd",
      "/etc/none",
    ]) {
      expect(await verdict(roots, path)).toBe(said);
    }
    expect((await roots.locate(scratch.at("inside/deep/../a.txt"))).shown).toBe("a.txt");
  });

  it("links: to files, folders, chains of them, and to what isn't there", async () => {
    const { scratch, roots } = await twoFolders();
    const inside = (name: string): string => scratch.at("inside", name);
    await symlink("../outside/secret.txt", inside("file"));
    await symlink("../outside/nothing.txt", inside("file-none"));
    await symlink(scratch.at("outside/secret.txt"), inside("absolute"));
    await symlink(scratch.at("outside/nothing.txt"), inside("absolute-none"));
    await symlink("../outside", inside("folder"));
    await symlink("../nowhere", inside("folder-none"));
    await symlink("file", inside("chain-1"));
    await symlink("deep/../chain-1", inside("chain-2"));
    await symlink("file-none", inside("chain-1-none"));
    await symlink("deep/../chain-1-none", inside("chain-2-none"));
    await symlink("../../../outside", inside("deep/er/up"));
    await symlink("../../../nowhere", inside("deep/er/up-none"));
    const said = "OutsideRoots: … is outside the folders that may be used.";
    for (const name of ["file", "absolute", "folder", "chain-1", "chain-2", "deep/er/up"]) {
      expect(await verdict(roots, name)).toBe(said);
      expect(await verdict(roots, `${name}-none`)).toBe(said);
      expect(await verdict(roots, `${name}/secret.txt`)).toBe(said);
      expect(await verdict(roots, `${name}-none/secret.txt`)).toBe(said);
    }
  });

  it("a link whose way leads outside is refused before it's known whether it comes back", async () => {
    const { scratch, roots } = await twoFolders();
    await symlink(scratch.at("nowhere/link"), scratch.at("inside/x"));
    await symlink(scratch.at("outside/no-link"), scratch.at("inside/y"));
    expect(await verdict(roots, "x")).toBe("OutsideRoots: … is outside the folders that may be used.");
    expect(await verdict(roots, "y")).toBe(await verdict(roots, "x"));
  });
});

it("links in a circle end, and lead nowhere", async () => {
  const { scratch, roots } = await twoFolders();
  await symlink("two", scratch.at("inside/one"));
  await symlink("one", scratch.at("inside/two"));
  await symlink("self/x", scratch.at("inside/self"));
  for (const path of ["one", "one/x", "self", "self/x/y"]) {
    expect(await refusal(roots.locate(path))).toMatchObject({ type: "AccessDenied" });
  }
  // One link of the circle lies outside.
  await symlink(scratch.at("inside/out"), scratch.at("outside/back"));
  await symlink(scratch.at("outside/back"), scratch.at("inside/out"));
  expect(await verdict(roots, "out")).toBe("OutsideRoots: … is outside the folders that may be used.");
});

it("links inside lead where they point; one that leads nowhere is no place for something new", async () => {
  const { scratch, roots } = await twoFolders();
  await symlink("deep/er", scratch.at("inside/short"));
  await symlink("not-yet", scratch.at("inside/dangling"));
  expect(await roots.locate("short/b.txt")).toEqual({
    path: scratch.at("inside/deep/er/b.txt"),
    shown: "deep/er/b.txt",
    kind: "file",
  });
  expect(await refusal(roots.locate("dangling"))).toEqual({
    type: "AccessDenied",
    message: "dangling goes through a link that leads nowhere.",
  });
  expect(await roots.locate("short/new.txt")).toMatchObject({ shown: "deep/er/new.txt", kind: "missing" });
});

it.runIf(process.platform === "linux")(
  "/proc offers no way out, neither by root, nor cwd, nor open files",
  async () => {
    const { scratch, roots } = await twoFolders();
    const outside = await open(scratch.at("outside/secret.txt"));
    const folder = await open(scratch.at("outside"));
    const inside = await open(scratch.at("inside/a.txt"));
    try {
      const ways = [
        `/proc/self/root${scratch.at("outside/secret.txt")}`,
        `/proc/${process.pid}/root${scratch.at("outside/secret.txt")}`,
        `/proc/self/fd/${outside.fd}`,
        `/proc/thread-self/fd/${outside.fd}`,
        `/dev/fd/${outside.fd}`,
        `/proc/self/fd/${folder.fd}/secret.txt`,
        "/proc/self/cwd/package.json",
        "/proc/self/cwd/../../etc/passwd",
        "/proc/self/environ",
        "/proc/self/exe",
        "/proc/self/fd/0",
        "/proc/self/fd/999999",
        "/proc/self/task",
      ];
      for (const path of ways) {
        expect(await verdict(roots, path)).toBe("OutsideRoots: … is outside the folders that may be used.");
        await symlink(path, scratch.at("inside/way"));
        expect(await verdict(roots, "way")).toBe("OutsideRoots: … is outside the folders that may be used.");
        execFileSync("rm", [scratch.at("inside/way")]);
      }
      // What leads inside is inside, however it is called.
      expect((await roots.locate(`/proc/self/root${scratch.at("inside/a.txt")}`)).shown).toBe("a.txt");
      expect((await roots.locate(`/proc/self/fd/${inside.fd}`)).shown).toBe("a.txt");
    } finally {
      await Promise.all([outside.close(), folder.close(), inside.close()]);
    }
  },
);

it("names that look like others are other names", async () => {
  const { roots } = await twoFolders();
  // Fullwidth and other dots, slashes of other scripts, backslashes, percent codes: no way up.
  const names = [
    "․․/outside",
    "．．/outside/secret.txt",
    "..∕outside",
    "..⁄outside",
    "..\\outside",
    "%2e%2e/outside",
    "..%2foutside",
    "~/x",
  ];
  for (const name of names) expect(await roots.locate(name)).toMatchObject({ kind: "missing", shown: name });
  for (const name of [".. /outside", "... /x", " ../outside", "a.txt.", "a.txt ", "A.TXT", "a.t\u200bxt"]) {
    const place = await roots.locate(name).catch(() => undefined);
    expect(place === undefined || place.kind === "missing" || place.path.startsWith(roots.base)).toBe(true);
  }
});

it("odd paths are refused in one line, and not at length", async () => {
  const { roots } = await twoFolders();
  expect(await refusal(roots.locate(""))).toMatchObject({ type: "InvalidPath" });
  expect(await refusal(roots.locate("a\0.txt"))).toMatchObject({ type: "InvalidPath" });
  expect(await refusal(roots.locate(undefined as unknown as string))).toMatchObject({ type: "InvalidPath" });
  expect(await refusal(roots.locate(7 as unknown as string))).toMatchObject({ type: "InvalidPath" });
  const broken = await refusal(openedFile(roots, "no\nsuch\u001b[31m file"));
  expect(broken).toEqual({ type: "NotFound", message: 'There is no file "no\\nsuch\\u001b[31m file".' });
  for (const path of ["x".repeat(300), "x/".repeat(5000), "x".repeat(100_000), `../${"x".repeat(100_000)}`]) {
    const { type, message } = await refusal(roots.locate(path));
    expect(["InvalidPath", "OutsideRoots", "NotFound"]).toContain(type);
    expect(message.length).toBeLessThan(450);
  }
});

it("a slash after a file, or a file on the way, is said to be no directory", async () => {
  const { roots } = await twoFolders();
  expect(await refusal(roots.locate("a.txt/"))).toEqual({ type: "NotADirectory", message: "a.txt/ is no directory." });
  expect(await refusal(roots.locate("a.txt/."))).toMatchObject({ type: "NotADirectory" });
  expect(await refusal(roots.locate("a.txt/b"))).toMatchObject({ type: "NotADirectory" });
  expect(await refusal(roots.locate("none/"))).toMatchObject({ type: "NotFound" });
  expect(await roots.locate("deep/")).toMatchObject({ kind: "directory", shown: "deep" });
  expect(await roots.locate("deep/.")).toMatchObject({ kind: "directory", shown: "deep" });
});

it("several roots, roots in roots, and roots by links", async () => {
  const { scratch } = await twoFolders();
  await symlink("inside", scratch.at("by-link"));
  const roots = await Roots.open([scratch.at("by-link"), scratch.at("inside/deep"), scratch.at("inside-too")]);
  expect(roots.paths).toEqual([scratch.at("inside"), scratch.at("inside/deep"), scratch.at("inside-too")]);
  expect((await roots.locate("a.txt")).shown).toBe("a.txt");
  expect((await roots.locate(scratch.at("by-link/a.txt"))).shown).toBe("a.txt");
  expect((await roots.locate("../inside-too/secret.txt")).shown).toBe(scratch.at("inside-too/secret.txt"));
  expect(await refusal(roots.locate("../outside/secret.txt"))).toMatchObject({ type: "OutsideRoots" });
});

it("the whole file system as a root holds every path", async () => {
  const { scratch } = await twoFolders();
  const roots = await Roots.open(["/"]);
  expect((await roots.locate(scratch.at("outside/secret.txt"))).shown).toBe(scratch.at("outside/secret.txt").slice(1));
  const opened = await openedFile(roots, scratch.at("inside/a.txt"));
  expect(opened.path).toBe(scratch.at("inside/a.txt"));
  await opened.close();
});

it("roots that are none are a caller's mistake", async () => {
  const { scratch } = await twoFolders();
  await expect(Roots.open([])).rejects.toThrow(TypeError);
  await expect(Roots.open([""])).rejects.toThrow(TypeError);
  await expect(Roots.open([scratch.at("inside/a.txt")])).rejects.toThrow("no existing directory");
  await expect(Roots.open([scratch.at("none")])).rejects.toThrow(TypeError);
});

it("a hard link is a file of the root like any other", async () => {
  const { scratch, roots } = await twoFolders();
  await link(scratch.at("inside/a.txt"), scratch.at("inside/deep/a-too.txt"));
  const opened = await openedFile(roots, "deep/a-too.txt");
  expect(await opened.handle.readFile("utf8")).toBe("a");
  await opened.close();
});

it("no path of dots, names, links and absolute beginnings leads outside", { timeout: 120_000 }, async () => {
  const { scratch, roots } = await twoFolders();
  await symlink("../outside", scratch.at("inside/out"));
  await symlink("deep/er", scratch.at("inside/in"));
  await symlink("..", scratch.at("inside/up"));
  await mkdir(scratch.at("inside/deep/outside"), { recursive: true });
  await writeFile(scratch.at("inside/deep/outside/secret.txt"), "no secret");
  const step = fc.constantFrom(
    "..",
    ".",
    "",
    "deep",
    "er",
    "out",
    "in",
    "up",
    "outside",
    "inside",
    "inside-too",
    "secret.txt",
    "a.txt",
    "none",
  );
  const start = fc.constantFrom(
    "",
    "/",
    `${scratch.path}/`,
    `${scratch.path}/inside/`,
    "/proc/self/root/",
    `/proc/self/root${scratch.path}/`,
  );
  const times = rounds(500, 5000);
  await fc.assert(
    fc.asyncProperty(start, fc.array(step, { maxLength: 7 }), async (from, steps) => {
      const path = from + steps.join("/");
      const place = await roots.locate(path).catch((error: unknown) => {
        expect(localErrorType(error)).toBeDefined();
        return undefined;
      });
      if (place === undefined) return;
      expect(place.path === roots.base || place.path.startsWith(`${roots.base}/`)).toBe(true);
      if (place.kind !== "missing") expect(await realpath(join(place.path))).toBe(place.path);
      if (place.kind === "file") {
        const opened = await roots.openPlace(place.path);
        expect(await opened.handle.readFile("utf8")).not.toBe(secret);
        await opened.close();
      }
    }),
    { numRuns: times },
  );
});
