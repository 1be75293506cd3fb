import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftToCi } from "@toolglot/internal/testing";
import { openSecrets } from "@toolglot/secrets";
import { afterAll, expect, it } from "vitest";
import { openLocal } from "../src/project/open-local.ts";
import { projectAt } from "../src/project/user-folder.ts";
import type { Ended } from "./support/child.ts";
import { runCli } from "./support/in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "demo-var-"));
const shop = join(folder, "shop");
mkdirSync(shop);
writeFileSync(join(shop, "README.md"), "# trailtime\n");
const passphraseFile = join(folder, "passphrase");
const vault = join(folder, "toolglot/secrets.json");
const token = "tok-5f2b9c's $(touch x)";
writeFileSync(passphraseFile, "correct horse battery\n", { mode: 0o600 });

const values = (args: readonly string[], input = "", passphrase = passphraseFile): Promise<Ended> =>
  runCli(["var", ...args, "--store", "file", "--data-dir", join(folder, "data")], {
    folder: shop,
    input,
    env: { XDG_DATA_HOME: folder, TOOLGLOT_VAULT_PASSPHRASE_FILE: passphrase },
  });

const listed = async (): Promise<Record<string, unknown>[]> =>
  (await values(["list", "--json"])).stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("should keep a value from standard input, list it without showing it, and forget it", async () => {
  const kept = await values(["set", "SHOP_TOKEN", "--note", "for the shop"], `${token}\n`);
  expect(kept).toMatchObject({ code: 0, stderr: "" });
  expect(kept.stdout).toMatch(/^SHOP_TOKEN is kept for this project, in the encrypted file/);
  const { stdout, stderr } = await values(["list"], "", "");
  expect(stdout).toMatch(/^SHOP_TOKEN .*shop\n$/);
  expect(kept.stdout + stdout + stderr + readFileSync(vault, "utf8")).not.toContain("5f2b9c");
  const removed = await values(["rm", "SHOP_TOKEN"]);
  expect(removed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^SHOP_TOKEN is forgotten, in the/) });
  expect((await values(["list"], "", "")).stdout).not.toContain("SHOP_TOKEN");
  expect(await values(["rm", "SHOP_TOKEN"])).toMatchObject({ code: 1, stdout: "" });
});

it("should keep a value for all projects, and list notes where nobody has to be asked", async (context) => {
  leftToCi(context);
  await values(["set", "SHOP_TOKEN", "--note", "for the shop"], `${token}\n`);
  expect((await values(["set", "OTHER", "--global"], "another value")).stdout).toContain("for all projects");
  const entries = await listed();
  expect(entries).toMatchObject([
    { name: "OTHER", scope: "*" },
    { name: "SHOP_TOKEN", scope: shop, note: "for the shop" },
  ]);
  expect((await values(["list"])).stdout).toMatch(/^OTHER .* all projects\nSHOP_TOKEN .*shop {2}for the shop\n$/);
  expect((await values(["rm", "OTHER"])).code).toBe(0);
  expect((await values(["rm", "SHOP_TOKEN"])).code).toBe(0);
});

it("should empty what is kept for undo with rm --purge, of names that the store has and of others", async () => {
  const project = projectAt(shop, join(folder, "data"));
  const secrets = await openSecrets();
  await secrets.set("SESSION_TOKEN", token);
  await using local = await openLocal(project, { commands: "ask", sandbox: "off", secrets });
  // A value that goes into a file is asked about.
  const consent = { ask: async () => ({ approved: true }) };
  const edit = (find: string, replace: string) =>
    local.edit([{ src: "README.md", edits: [{ find, replace }] }], consent);
  await edit("# trailtime", "# $KARYI{SESSION_TOKEN}");
  await edit("# $KARYI{SESSION_TOKEN}", "# trailtime");
  const { code, stdout } = await values(["rm", "SESSION_TOKEN", "--purge"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Emptied: 1 change, .* 0 copies/) });
  const { stdout: changes } = await runCli(["undo", "--list", "--data-dir", join(folder, "data")], { folder: shop });
  expect(changes).toMatch(/ forgotten /);
  expect((await values(["rm", "SESSION_TOKEN", "--purge"])).code).toBe(1);
});

it("should show no value in what an undo says, which another process does", async () => {
  const data = join(folder, "undone");
  const secrets = await openSecrets();
  await secrets.set("SESSION_TOKEN", token);
  await using local = await openLocal(projectAt(shop, data), { commands: "ask", sandbox: "off", secrets });
  const consent = { ask: async () => ({ approved: true }) };
  for (const [find, replace] of [
    ["# trailtime", "# $KARYI{SESSION_TOKEN}"],
    ["# $KARYI{SESSION_TOKEN}", "# trail"],
  ] as const) {
    await local.edit([{ src: "README.md", edits: [{ find, replace }] }], consent);
  }
  const undone = await runCli(["undo", "--data-dir", data, "--project", shop]);
  expect(undone.stdout).toContain("The diff is not shown: the files held the value of SESSION_TOKEN.");
  const again = await runCli(["undo", "--json", "--data-dir", data], { folder: shop });
  expect(JSON.parse(again.stdout)).toMatchObject({ values: ["SESSION_TOKEN"], files: [{ removed: false }] });
  expect(undone.stdout + again.stdout).not.toContain("5f2b9c");
});

it("should speak Chinese", async () => {
  const kept = await values(["set", "A", "--lang", "zh"], "some-value");
  expect(kept).toMatchObject({ code: 0, stdout: expect.stringMatching(/^A 已为本项目保存在用户数据中的加密文件/) });
  expect((await values(["rm", "A", "--lang", "zh"])).stdout).toMatch(/^A 已从.*中删除。/);
  expect((await values(["set", "1A", "--lang=zh"], "x")).stderr).toContain("名称由 1 到 64 个字母");
});

it.each([
  [["set", "A", "sk-4711-secret"]],
  [["set", "A=sk-4711-secret"]],
  [["set", "A", "--value=sk-4711-secret"]],
  [["set", "A", "-sk-4711-secret"]],
])("should refuse a value among the arguments without repeating it: %j", async (args) => {
  const { code, stdout, stderr } = await values(args, "x");
  expect(code).toBe(2);
  expect(stderr).toMatch(/change it .*in the process list and in the shell's history/);
  expect(stdout + stderr).not.toContain("4711");
});

it.each([
  [["set", "1A"], "value", /letters, digits and _/],
  [["set", "A"], "\n", /empty/],
  [["set", "A"], "nul\0", /NUL/],
  [["set", "A"], "x".repeat(65_537), /64 KiB/],
  [["set"], "value", /missing required argument/],
  [["set", "A", "--store", "cloud"], "value", /Allowed choices are keychain, file/],
  [["rm", "A", "B"], "", /too many arguments/],
  [["rm", "A-B"], "", /letters, digits and _/],
  [["nothing"], "", /unknown command/],
])("should refuse %j with exit code 2", async (args, input, message) => {
  const { code, stderr } = await values(args, input);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

it("should end with 1 for a wrong passphrase and a damaged file, and leave the file as it is", async (context) => {
  leftToCi(context);
  await values(["set", "A"], "a value");
  const before = readFileSync(vault, "utf8");
  const wrong = join(folder, "wrong");
  writeFileSync(wrong, "another passphrase\n", { mode: 0o600 });
  const locked = await values(["set", "B"], "value", wrong);
  expect(locked).toMatchObject({ code: 1, stdout: "" });
  expect(locked.stderr).toContain("stays locked");
  expect(readFileSync(vault, "utf8")).toBe(before);
  chmodSync(vault, 0o644);
  expect((await values(["list"])).stderr).toContain("chmod 600");
  chmodSync(vault, 0o600);
  writeFileSync(vault, "{");
  expect(await values(["list"])).toMatchObject({ code: 1, stdout: "" });
  expect(readFileSync(vault, "utf8")).toBe("{");
});
