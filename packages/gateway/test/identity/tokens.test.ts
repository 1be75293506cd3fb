import { fork } from "node:child_process";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "@toolglot/internal/testing/scratch";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bundledScript } from "../../../../bundled-script.ts";
import { openTokens, type Tokens, type TokensOptions } from "../../src/identity/tokens.ts";

const adder = join(import.meta.dirname, "processes/adder.ts");
const file = async () => (await scratchFolder()).at("state", "tokens.json");

async function opened(path: string, options: TokensOptions = { watchMs: 20 }): Promise<Tokens> {
  const tokens = await openTokens(path, options);
  onTestFinished(() => tokens.close());
  return tokens;
}

describe("tokens", () => {
  it("let in who has one, and are shown once", async () => {
    const path = await file();
    const tokens = await opened(path);
    const { id, token } = await tokens.add({
      principal: "ada",
      roles: ["approver"],
      canDelete: true,
      elicitation: false,
    });
    expect(token).toMatch(/^tg1_[a-z2-7]{8}_[\w-]{43}$/);
    expect(await tokens.authenticate(`Bearer ${token}`)).toEqual({
      id,
      principal: { id: "ada", tenant: "default", roles: ["approver"], canDelete: true },
      mayElicit: false,
      lenientHeaders: false,
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const shown = JSON.stringify(await tokens.list());
    expect(shown).toContain(id);
    expect(shown).not.toContain("sha256");
    const kept = await readFile(path, "utf8");
    expect(kept).not.toContain(token.slice(13));
  });

  it("let nobody in with anything else", async () => {
    const tokens = await opened(await file());
    const { token } = await tokens.add({ principal: "ada" });
    const other = await tokens.add({ principal: "bob" });
    const mixed = token.slice(0, 13) + other.token.slice(13);
    for (const header of [
      undefined,
      "",
      token,
      `Basic ${token}`,
      `Bearer ${token}x`,
      `Bearer ${mixed}`,
      "Bearer tg1_",
    ]) {
      expect(await tokens.authenticate(header)).toBeUndefined();
    }
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: token.length - 14 }),
        fc.string({ minLength: 1, maxLength: 1 }),
        async (at, letter) => {
          const changed = `${token.slice(0, 13 + at)}${letter}${token.slice(14 + at)}`;
          fc.pre(changed !== token);
          expect(await tokens.authenticate(`Bearer ${changed}`)).toBeUndefined();
        },
      ),
    );
  });

  it("that another process revokes are refused, and the listeners hear it", async () => {
    const path = await file();
    const [tokens, other] = [await opened(path), await opened(path)];
    const { id, token } = await tokens.add({ principal: "ada" });
    const { token: kept } = await tokens.add({ principal: "bob" });
    const ended: string[] = [];
    tokens.onRevoked((gone) => ended.push(gone));
    expect(await other.revoke(id)).toBe(true);
    expect(await other.revoke("aaaaaaaa")).toBe(false);
    await vi.waitFor(() => expect(ended).toEqual([id]));
    expect(await tokens.authenticate(`Bearer ${token}`)).toBeUndefined();
    expect(tokens.identity(id)).toBeUndefined();
    expect(await tokens.authenticate(`Bearer ${kept}`)).toBeDefined();
  });

  it("end when their time is over", async () => {
    const tokens = await opened(await file());
    const ended: string[] = [];
    tokens.onRevoked((gone) => ended.push(gone));
    const { id, token } = await tokens.add({ principal: "ada", expiresAt: Date.now() + 150 });
    await vi.waitFor(() => expect(ended).toEqual([id]));
    expect(await tokens.authenticate(`Bearer ${token}`)).toBeUndefined();
  });

  it("are not read from a file that others can read", async () => {
    const path = await file();
    await (await opened(path)).add({ principal: "ada" });
    await chmod(path, 0o644);
    await expect(openTokens(path)).rejects.toMatchObject({ code: "config/mode" });
  });

  it.each([
    ["config/syntax", "[{"],
    ["config/value", '{"a":1}'],
    ["config/value", '[{"id":"aaaaaaaa"}]'],
    ["config/value", `[{"id":"aaaaaaaa","hash":"sha256:${"0".repeat(64)}","principal":"a","createdAt":"x"}]`],
  ])("are not read from a malformed file: %s %s", async (code, text) => {
    const scratch = await scratchFolder();
    await writeFile(scratch.at("tokens.json"), text, { mode: 0o600 });
    await expect(openTokens(scratch.at("tokens.json"))).rejects.toMatchObject({ code });
  });

  it("let nobody in while the file is broken, and again when it was mended", async () => {
    const scratch = await scratchFolder();
    const path = scratch.at("tokens.json");
    const log: string[] = [];
    const tokens = await opened(path, { watchMs: 20, log: (line) => log.push(line) });
    const ended: string[] = [];
    tokens.onRevoked((gone) => ended.push(gone));
    const { id, token } = await tokens.add({ principal: "ada" });
    const good = await scratch.read("tokens.json");
    await writeFile(path, good.slice(0, -20));
    await vi.waitFor(() => expect(tokens.fault()?.code).toBe("config/syntax"));
    await expect(tokens.authenticate(`Bearer ${token}`)).rejects.toMatchObject({ code: "config/syntax" });
    await vi.waitFor(() => expect(ended).toEqual([id]));
    await writeFile(path, good);
    await vi.waitFor(async () => expect(await tokens.authenticate(`Bearer ${token}`)).toBeDefined());
    expect(log).toHaveLength(2);
  });

  it("are all kept when several processes add them at once", async () => {
    const path = await file();
    const program = (await scratchFolder({ "adder.cjs": await bundledScript(adder) })).at("adder.cjs");
    const run = (name: string) =>
      new Promise<number | null>((resolve) => fork(program, [path, name]).once("exit", resolve));
    expect(await Promise.all([run("a"), run("b")])).toEqual([0, 0]);
    const names = (await (await opened(path)).list()).map(({ principal }) => principal);
    expect(names.sort()).toEqual(["a0", "a1", "a2", "a3", "a4", "b0", "b1", "b2", "b3", "b4"]);
  });
});
