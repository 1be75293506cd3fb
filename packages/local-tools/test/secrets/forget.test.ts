import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSecrets } from "@toolglot/secrets";
import { expect, it } from "vitest";
import { openLocalTools } from "../../src/index.ts";
import { openSession } from "../support/session.ts";

const value = "sk-Tö'k en-4711";

/** All files below a folder, as text. */
function textOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

/** A file that got the value and lost it again, one with the protected name `.env`, and one without it. */
async function edited() {
  const secrets = await openSecrets();
  await secrets.set("TOKEN", value);
  const files = { "a.txt": "token: none\n", ".env": "TOKEN=none\n", "b.txt": "one\n" };
  const session = await openSession({ files, secrets, policy: () => "allow" });
  const { local, work, state } = session;
  for (const src of ["a.txt", ".env"]) {
    await local.edit([{ src, edits: [{ find: "none", replace: "$KARYI{TOKEN}" }] }]);
    await local.edit([{ src, edits: [{ find: "$KARYI{TOKEN}", replace: "gone" }] }]);
  }
  await local.edit([{ src: "b.txt", edits: [{ find: "one", replace: "two" }] }]);
  const reopen = () => openLocalTools({ roots: work.path, stateDir: state.path, secrets });
  return { ...session, secrets, reopen };
}

it("should say which changes hold a value, and empty those and no others", async () => {
  const { local, state, work, reopen } = await edited();
  const values = async () => (await local.changes()).map((change) => [change.state, change.values]);
  expect(await values()).toEqual([
    ["done", undefined],
    ["done", ["TOKEN"]],
    ["done", undefined],
    ["done", ["TOKEN"]],
    ["done", undefined],
  ]);
  expect(textOf(state.path)).toContain(value);
  expect(await local.forget("TOKEN")).toEqual({ changes: 2, copies: 1 });
  expect(textOf(state.path)).not.toContain("Tö'k");
  expect((await values()).map(([name]) => name)).toEqual(["done", "forgotten", "done", "forgotten", "done"]);
  const [, emptied] = await local.changes();
  expect(emptied?.values).toBeUndefined();
  await expect(local.undo(emptied?.id)).rejects.toThrow(/was forgotten/);
  // The others can be undone still, by another process too.
  await using other = await reopen();
  expect(other.recovered).toEqual([]);
  expect((await other.undo()).files).toMatchObject([{ path: "b.txt" }]);
  expect(readFileSync(join(work.path, "b.txt"), "utf8")).toBe("one\n");
  expect(await other.forget("TOKEN")).toEqual({ changes: 0, copies: 0 });
});

it("should find a value that was not known when the change was made, and former values of a name", async () => {
  const { local, state, secrets } = await edited();
  await secrets.set("LATER", "gone");
  await local.edit([{ src: "a.txt", edits: [{ find: "gone", replace: "none" }] }]);
  await secrets.set("TOKEN", "another value");
  expect(await local.forget("LATER")).toMatchObject({ changes: 1 });
  expect(await local.forget("TOKEN")).toMatchObject({ changes: 2 });
  expect(textOf(state.path)).not.toContain("Tö'k");
});

it("should need secrets, and open tools", async () => {
  const { local } = await openSession();
  await expect(local.forget("TOKEN")).rejects.toThrow(TypeError);
  await local.close();
  await expect(local.forget("TOKEN")).rejects.toThrow();
});

it.each(["utf-16le", "utf-16be"])("should find a value in a file in %s", async (encoding) => {
  const secrets = await openSecrets();
  await secrets.set("TOKEN", value);
  const { local, state, work } = await openSession({ secrets, policy: () => "allow" });
  const bytes = Buffer.from(`\ufefftoken: ${value}\n`, "utf16le");
  writeFileSync(join(work.path, "a.txt"), encoding === "utf-16le" ? bytes : bytes.swap16());
  await local.edit([{ src: "a.txt", edits: [{ find: "token: ", replace: "key: " }] }]);
  expect(await local.changes()).toMatchObject([{ values: ["TOKEN"] }]);
  expect(await local.forget("TOKEN")).toEqual({ changes: 1, copies: 0 });
  const stored = readdirSync(state.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = stored.map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  expect(texts.some((text) => text.includes(Buffer.from("ö'k", "utf16le")))).toBe(false);
  expect(texts.some((text) => text.includes(Buffer.from("ö'k", "utf16le").swap16()))).toBe(false);
});
