import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rounds } from "@toolglot/internal/testing";
import { bundle, start } from "@toolglot/internal/testing/programs";
import { scratchFolder } from "@toolglot/internal/testing/scratch";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { fileStore } from "../src/store/file-store.ts";
import type { AskPassphrase } from "../src/store/unlock.ts";

const right: AskPassphrase = async () => "correct horse";
const value = 'a"value\nwith $(things) 漢😀';

// A key takes a good part of a second, on purpose: each is derived once for all tests of this file.
vi.mock(import("../src/store/vault-key.ts"), async (original) => {
  const actual = await original();
  const keys = new Map<string, ReturnType<typeof actual.deriveKey>>();
  const deriveKey: typeof actual.deriveKey = (passphrase, kdf) => {
    const about = JSON.stringify([passphrase, kdf]);
    const key = keys.get(about) ?? actual.deriveKey(passphrase, kdf);
    keys.set(about, key);
    return key;
  };
  return { ...actual, deriveKey };
});

afterEach(() => vi.unstubAllEnvs());

let template: Buffer;

/** A store in a folder of its own that holds one value. */
async function filled(): Promise<{ path: string; folder: string }> {
  const { path: folder } = await scratchFolder();
  const path = join(folder, "vault", "secrets.json");
  if (template === undefined) {
    await fileStore({ path, passphrase: right }).set("TOKEN", "*", { value, note: "a note of mine" });
    template = await readFile(path);
  } else {
    await mkdir(join(folder, "vault"), { mode: 0o700 });
    await writeFile(path, template, { mode: 0o600 });
  }
  return { path, folder };
}

const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no error",
    (error: { code?: string; name?: string }) => error.code ?? error.name,
  );

describe("a file of secrets", () => {
  it("should be there for the next process, encrypted, for this user alone", async () => {
    const { path } = await filled();
    const text = await readFile(path, "utf8");
    for (const part of ["a note", "with $(", "correct horse", Buffer.from(value).toString("base64").slice(0, 8)]) {
      expect(text).not.toContain(part);
    }
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(path, ".."))).mode & 0o777).toBe(0o700);
    const { version, kdf, entries } = JSON.parse(text) as { version: number; kdf: object; entries: { data: string }[] };
    expect({ version, kdf }).toMatchObject({ version: 1, kdf: { name: "scrypt", N: 2 ** 17, r: 8, p: 1 } });
    expect(Buffer.from(entries[0]?.data ?? "", "base64").length % 64).toBe(0);
    const store = fileStore({ path, passphrase: right });
    const [listed] = await store.list();
    expect(listed).toEqual({ name: "TOKEN", scope: "*", at: expect.any(Number) });
    expect(await store.get("TOKEN", "*")).toEqual({ value, note: "a note of mine" });
    expect((await store.list())[0]?.note).toBe("a note of mine");
    expect(await store.get("TOKEN", "/project")).toBe(undefined);
  });

  it("should ask once per process, and not to list or remove", async () => {
    const { path } = await filled();
    const asked: unknown[] = [];
    const store = fileStore({
      path,
      passphrase: async (why) => {
        asked.push(why);
        return "correct horse";
      },
    });
    await store.list();
    expect(await store.remove("NOTHING", "*")).toBe(false);
    expect(asked).toEqual([]);
    await Promise.all([
      store.get("TOKEN", "*"),
      store.get("TOKEN", "*"),
      store.set("B", "/p", { value: "other value" }),
    ]);
    expect(asked).toEqual([{ create: false, attempt: 1, path }]);
    expect(await store.remove("TOKEN", "*")).toBe(true);
    expect((await store.list()).map(({ name, scope }) => [name, scope])).toEqual([["B", "/p"]]);
  });

  it("should stay locked without its passphrase, after three wrong ones at most", async () => {
    const { path } = await filled();
    const attempts: number[] = [];
    const wrong = fileStore({
      path,
      passphrase: async ({ attempt }) => {
        attempts.push(attempt);
        return "wrong horse";
      },
    });
    expect(await code(wrong.get("TOKEN", "*"))).toBe("secrets/locked");
    expect(attempts).toEqual([1, 2, 3]);
    const nobody = fileStore({ path, passphrase: async () => undefined });
    expect(await code(nobody.get("TOKEN", "*"))).toBe("secrets/locked");
    expect(await code(nobody.set("B", "*", { value: "other value" }))).toBe("secrets/locked");
  });

  it("should not be made with a passphrase of less than 8 characters", async () => {
    const { path: folder } = await scratchFolder();
    const path = join(folder, "secrets.json");
    const given = ["short", undefined];
    const asked: unknown[] = [];
    const store = fileStore({
      path,
      passphrase: async (why) => {
        asked.push(why);
        return given.shift();
      },
    });
    expect(await code(store.set("A", "*", { value: "a value" }))).toBe("secrets/locked");
    expect(asked).toEqual([1, 2].map((attempt) => ({ create: true, attempt, path })));
    expect(await readdir(folder)).toEqual([]);
  });

  it("should take the passphrase from a file that only this user can read", async () => {
    const { path, folder } = await filled();
    const file = join(folder, "passphrase");
    await writeFile(file, "correct horse\nsecond line\n", { mode: 0o600 });
    vi.stubEnv("TOOLGLOT_VAULT_PASSPHRASE_FILE", file);
    const nobody: AskPassphrase = () => Promise.reject(new Error("asked"));
    expect(await fileStore({ path, passphrase: nobody }).get("TOKEN", "*")).toMatchObject({ value });
    await chmod(file, 0o640);
    expect(await code(fileStore({ path, passphrase: nobody }).get("TOKEN", "*"))).toBe("secrets/permissions");
    await writeFile(file, "wrong horse\n");
    await chmod(file, 0o600);
    expect(await code(fileStore({ path, passphrase: nobody }).get("TOKEN", "*"))).toBe("secrets/locked");
  });

  it("should be refused where others could read or replace it, with the cure", async () => {
    const { path } = await filled();
    const store = fileStore({ path, passphrase: right });
    await chmod(path, 0o604);
    await expect(store.list()).rejects.toThrow(`chmod 600 ${path}`);
    expect(await code(store.set("B", "*", { value: "a value" }))).toBe("secrets/permissions");
    await chmod(path, 0o600);
    await chmod(join(path, ".."), 0o770);
    expect(await code(store.set("B", "*", { value: "a value" }))).toBe("secrets/permissions");
    await chmod(join(path, ".."), 0o700);
    await rename(path, `${path}.moved`);
    await symlink(`${path}.moved`, path);
    expect(await code(store.list())).toBe("secrets/permissions");
    await rm(path);
    await mkdir(path);
    expect(await code(store.list())).toBe("secrets/permissions");
  });

  const damages: [string, (vault: Vault) => unknown][] = [
    ["no object", () => []],
    ["another version", (vault) => ({ ...vault, version: 2 })],
    ["a cheap key", (vault) => ({ ...vault, kdf: { ...vault.kdf, N: 2 ** 10 } })],
    ["a bomb", (vault) => ({ ...vault, kdf: { ...vault.kdf, N: 2 ** 24 } })],
    ["another block size", (vault) => ({ ...vault, kdf: { ...vault.kdf, r: 1024 } })],
    ["an entry without a tag", (vault) => ({ ...vault, entries: vault.entries.map(({ tag: _, ...rest }) => rest) })],
    ["an entry twice", (vault) => ({ ...vault, entries: [...vault.entries, ...vault.entries] })],
    ["a flipped bit", (vault) => change(vault, (entry) => ({ data: flipped(entry.data) }))],
    ["another tag", (vault) => change(vault, (entry) => ({ tag: flipped(entry.tag) }))],
    ["another name", (vault) => change(vault, () => ({ name: "TOKEN2" }))],
    ["another scope", (vault) => change(vault, () => ({ scope: "/other" }))],
    ["another time", (vault) => change(vault, ({ at }) => ({ at: at + 1 }))],
  ];
  it("should be refused when damaged or tampered with, and never overwritten", async () => {
    const { path } = await filled();
    const whole = JSON.parse(await readFile(path, "utf8")) as Vault;
    const store = fileStore({ path, passphrase: right });
    await store.get("TOKEN", "*");
    for (const [what, damage] of damages) {
      const text = JSON.stringify(damage(structuredClone(whole)));
      await writeFile(path, text);
      const [name, scope] =
        what === "another name" ? ["TOKEN2", "*"] : ["TOKEN", what === "another scope" ? "/other" : "*"];
      expect(await code(store.get(name, scope)), what).toBe("secrets/damaged");
      expect(await readFile(path, "utf8"), what).toBe(text);
    }
    await writeFile(path, "{");
    expect(await code(store.set("B", "*", { value: "a value" }))).toBe("secrets/damaged");
    expect(await readFile(path, "utf8")).toBe("{");
  });

  it("should not give one entry for another", async () => {
    const { path } = await filled();
    const store = fileStore({ path, passphrase: right });
    await store.set("OTHER", "*", { value: "the other value" });
    const vault = JSON.parse(await readFile(path, "utf8")) as Vault;
    const [one, two] = vault.entries as [Entry, Entry];
    const { iv, data, tag } = one;
    await writeFile(
      path,
      JSON.stringify({
        ...vault,
        entries: [
          { ...one, ...pick(two) },
          { ...two, iv, data, tag },
        ],
      }),
    );
    expect(await code(store.get("TOKEN", "*"))).toBe("secrets/damaged");
    expect(await code(store.get("OTHER", "*"))).toBe("secrets/damaged");
  });

  it("should use a fresh IV for each write", async () => {
    const { path } = await filled();
    const store = fileStore({ path, passphrase: right });
    const seen = new Set<string>();
    for (let turn = 0; turn < 3; turn++) {
      await store.set("TOKEN", "*", { value });
      const { entries } = JSON.parse(await readFile(path, "utf8")) as Vault;
      seen.add(entries[0]?.iv ?? "");
      expect(entries).toHaveLength(1);
    }
    expect(seen.size).toBe(3);
  });

  it("should be made anew when it was taken away, with a key of its own", async () => {
    const { path } = await filled();
    const store = fileStore({ path, passphrase: right });
    await store.get("TOKEN", "*");
    await rm(path);
    await store.set("B", "*", { value: "a value" });
    expect(await fileStore({ path, passphrase: right }).get("B", "*")).toEqual({ value: "a value" });
  });

  it("should refuse what is no option, name or value", async () => {
    expect(() => fileStore({} as never)).toThrow(TypeError);
    expect(() => fileStore({ passphrase: right, file: "x" } as never)).toThrow(TypeError);
    const { path: folder } = await scratchFolder();
    const store = fileStore({ path: join(folder, "secrets.json"), passphrase: right });
    expect(await code(store.set("not a name", "*", { value: "a value" }))).toBe("TypeError");
    expect(await code(store.set("A", "*", { value: "" }))).toBe("TypeError");
  });
});

describe("several processes", () => {
  let program = "";
  beforeAll(async () => {
    program = await bundle("keep", import.meta.dirname);
  });

  it("should both keep what they keep at the same time, the first file included", async () => {
    const { path: folder } = await scratchFolder();
    const path = join(folder, "secrets.json");
    const writers = ["A", "B"].map((name) => start(program, { path, names: [name, `${name}2`], value: "the value" }));
    expect((await Promise.all(writers.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, 0]);
    const store = fileStore({ path, passphrase: right });
    expect((await store.list()).map(({ name }) => name).sort()).toEqual(["A", "A2", "B", "B2"]);
    for (const name of ["A", "A2", "B", "B2"]) {
      expect(await store.get(name, "*")).toEqual({ value: `the value of ${name}` });
    }
  });

  it("should leave the old or the new file when killed while writing", async () => {
    const { path } = await filled();
    // A writer derives its key before it writes, which is most of what a round takes.
    const kills = rounds(1, 20);
    for (let kill = 0; kill < kills; kill++) {
      const writer = start(program, { path, names: ["A", "B", "C"], value: "x".repeat(2000), forever: true });
      await writer.said("kept A");
      await new Promise((resolve) => setTimeout(resolve, (kill * 140) / kills));
      writer.child.kill("SIGKILL");
      await writer.ended;
      const store = fileStore({ path, passphrase: right });
      const names = (await store.list()).map(({ name }) => name);
      expect(names).toContain("TOKEN");
      for (const name of names) expect(await store.get(name, "*")).toBeDefined();
    }
    const store = fileStore({ path, passphrase: right });
    await store.set("LAST", "*", { value: "a value" });
    const left = (await readdir(join(path, ".."))).filter((name) => name.includes(".new-"));
    expect(left).toEqual([]);
  });
});

interface Entry {
  name: string;
  scope: string;
  at: number;
  iv: string;
  data: string;
  tag: string;
}
interface Vault {
  version: number;
  kdf: Record<string, unknown>;
  check: string;
  entries: Entry[];
}

const pick = ({ iv, data, tag }: Entry): Partial<Entry> => ({ iv, data, tag });

function change(vault: Vault, by: (entry: Entry) => Partial<Entry>): Vault {
  return { ...vault, entries: vault.entries.map((entry) => ({ ...entry, ...by(entry) })) };
}

function flipped(text: string): string {
  const bytes = Buffer.from(text, "base64");
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes.toString("base64");
}
