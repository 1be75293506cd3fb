import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftToCi } from "@toolglot/internal/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildDemo } from "./support/child.ts";
import { type CliTerminal, demoTerminal } from "./support/terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "demo-var-terminal-"));
const data = join(folder, "data");
const value = "tok-5f2b9c";
const passphrase = "correct horse";

beforeAll(buildDemo, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const terminal = (...args: string[]): CliTerminal =>
  demoTerminal(folder, args, { XDG_DATA_HOME: folder, TOOLGLOT_VAULT_PASSPHRASE_FILE: "" });

it("should ask for a value and a new passphrase, show neither, and end with 130 when cancelled", async (context) => {
  leftToCi(context);
  const { seen, type, ended } = terminal("var", "set", "TOKEN", "--store", "file", "--data-dir", data);
  await seen("Value of TOKEN (not shown)");
  type(`${value}\r`);
  const shown = [await seen("A new passphrase for")];
  type(`${passphrase}\r`);
  shown.push(await seen("once more"));
  type(`${passphrase}\r`);
  shown.push(await seen("TOKEN is kept for this project, in the encrypted file"));
  expect(await ended).toBe(0);
  expect(shown.join("")).not.toMatch(/5f2b9c|horse|\*{2}|▪/);
  const cancelled = terminal("var", "set", "OTHER", "--store", "file", "--data-dir", data);
  await cancelled.seen("Value of OTHER");
  cancelled.type("\u0003");
  expect(await cancelled.ended).toBe(130);
});

it("should ask for the value that a model needs, and for the passphrase of one that is kept", async (context) => {
  leftToCi(context);
  const args = ["--protocol", "toolsxml", "--sandbox", "off", "--yes", "--data-dir", data];
  const kept = terminal(...args, "call http://127.0.0.1:9/ with the token TOKEN");
  await kept.seen("There is one already (kept); Enter uses it.");
  kept.type("\r");
  await kept.seen("Passphrase of ");
  kept.type(`${passphrase}\r`);
  await kept.seen("the known one is used");
  expect(await kept.ended).toBe(0);
  const { seen, type, ended } = terminal(...args, "call http://127.0.0.1:9/ with the token SHOP_TOKEN");
  await seen("A value is needed: SHOP_TOKEN");
  await seen("SHOP_TOKEN (not shown): ");
  type(`${value}\r`);
  const shown = await seen("[s]ession  [k]eep  [c]ancel");
  expect(shown).not.toContain("5f2b9c");
  type("s");
  await seen("Note");
  type("\r");
  await seen("given, for this session");
  await seen("did not accept the token");
  expect(await ended).toBe(0);
});
