import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, type TestContext } from "vitest";
import { openLocalTools } from "../../src/index.ts";
import { bytes, change, newScene, tree } from "./place.ts";

const path = process.env.PATH;
afterEach(() => {
  process.env.PATH = path;
});

/** Node has no call for extended attributes. */
function python(program: string, ...given: string[]): string {
  return execFileSync("python3", ["-c", `import os, sys, struct\n${program}`, ...given], {
    encoding: "utf8",
    stdio: "pipe",
  });
}

/** Gives a file an attribute of its own, an access-control list (user 12345 may read) and, to the superuser, a capability. */
function furnish(file: string, { skip }: Pick<TestContext, "skip">): string {
  try {
    python(
      `os.setxattr(sys.argv[1], "user.note", b"value \\0 \\xff")
acl = struct.pack("<I", 2)
for tag, perm, who in ((1, 6, 2**32 - 1), (2, 4, 12345), (4, 4, 2**32 - 1), (16, 4, 2**32 - 1), (32, 0, 2**32 - 1)):
  acl += struct.pack("<HHI", tag, perm, who)
os.setxattr(sys.argv[1], "system.posix_acl_access", acl)
if os.getuid() == 0:
  os.setxattr(sys.argv[1], "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 13, 0, 0, 0))`,
      file,
    );
  } catch (error) {
    skip(`no python3, or a file system without attributes: ${(error as Error).message.slice(0, 200)}`);
  }
  return attributesOf(file);
}

const attributesOf = (file: string): string =>
  python("print([(name, os.getxattr(sys.argv[1], name)) for name in sorted(os.listxattr(sys.argv[1]))])", file);

it.runIf(process.platform === "linux")(
  "should keep attributes and access-control lists over edits and undo",
  async (context) => {
    const { root, base } = await newScene();
    const file = join(root, "a.txt");
    writeFileSync(file, "one\n");
    chmodSync(file, 0o640);
    const before = furnish(file, context);
    expect(before).toContain("user.note");
    const mode = statSync(file).mode;
    const old = new Date(1_000_000_000_000);
    utimesSync(file, old, old);
    const options = { roots: root, stateDir: join(base, "state") };
    await using local = await openLocalTools({ ...options, keepAttributes: true });
    await local.edit([{ src: "a.txt", edits: [{ find: "one", replace: "two" }] }]);
    expect(tree(root)).toEqual({ "a.txt": "two\n" });
    expect([attributesOf(file), statSync(file).mode]).toEqual([before, mode]);
    // A changed file is new, for build tools and editors.
    expect(Date.now() - statSync(file).mtimeMs).toBeLessThan(60_000);
    await local.undo();
    expect([tree(root)["a.txt"], attributesOf(file), statSync(file).mode]).toEqual(["one\n", before, mode]);
    await using usual = await openLocalTools(options);
    await usual.edit([{ src: "a.txt", edits: [{ find: "one", replace: "two" }] }]);
    expect(attributesOf(file)).toBe("[]\n");
  },
);

it.runIf(process.platform === "linux")("should keep nothing of files that are made or removed", async () => {
  const { root, open } = await newScene();
  writeFileSync(join(root, "gone.txt"), "x");
  const journal = await open({ keepAttributes: true });
  await journal.commit([change(root, "new.txt", null, "new"), change(root, "gone.txt", "x", null)]);
  expect(tree(root)).toEqual({ "new.txt": "new" });
  await journal.undo();
  expect(tree(root)).toEqual({ "gone.txt": "x" });
});

it.runIf(process.platform === "linux")("should refuse, and change nothing, where cp is missing or fails", async () => {
  const { root, base, open } = await newScene();
  writeFileSync(join(root, "a.txt"), "old");
  writeFileSync(join(root, "b.txt"), "old");
  const journal = await open({ keepAttributes: true });
  const both = [change(root, "a.txt", "old", "new"), change(root, "b.txt", "old", "new")];
  process.env.PATH = base;
  await expect(journal.commit(both)).rejects.toMatchObject({
    message: expect.stringMatching(/^The attributes of [ab]\.txt can't be kept \(cp: spawn cp ENOENT\)/),
    data: { type: "WriteFailed", hint: expect.stringContaining("GNU cp") },
  });
  writeFileSync(join(base, "cp"), "#!/bin/sh\necho 'unknown option' >&2\nexit 2\n");
  chmodSync(join(base, "cp"), 0o755);
  await expect(journal.commit(both)).rejects.toThrow(/can't be kept \(unknown option\)/);
  expect(tree(root)).toEqual({ "a.txt": "old", "b.txt": "old" });
  process.env.PATH = path;
  await journal.commit(both);
  expect(tree(root)).toEqual({ "a.txt": "new", "b.txt": "new" });
});

it.runIf(process.platform === "linux")("should keep rights as without attributes", async () => {
  const { root, open } = await newScene();
  for (const [name, mode] of [
    ["a.sh", 0o751],
    ["b.txt", 0o400],
    ["c.txt", 0o4755],
  ] as const) {
    writeFileSync(join(root, name), "old");
    chmodSync(join(root, name), mode);
  }
  const journal = await open({ keepAttributes: true });
  const paths = ["a.sh", "b.txt", "c.txt"];
  const before = paths.map((name) => lstatSync(join(root, name)));
  await journal.commit(paths.map((name) => ({ path: join(root, name), before: bytes("old"), after: bytes("new") })));
  const after = paths.map((name) => lstatSync(join(root, name)));
  expect(after.map(({ mode, uid, gid }) => [mode, uid, gid])).toEqual(
    before.map(({ mode, uid, gid }) => [mode, uid, gid]),
  );
});
