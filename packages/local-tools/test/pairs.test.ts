import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { openSecrets } from "@toolglot/secrets";
import { describe, expect, it, onTestFinished } from "vitest";
import { type LocalTools, openLocalTools } from "../src/index.ts";
import { notConfinable } from "./support/bubblewrap.ts";
import { scratchFolder } from "./support/scratch.ts";

const token = `tok-'"\\$ 0123é`;

async function opened(shell: NonNullable<Parameters<typeof openLocalTools>[0]["shell"]>) {
  const work = await scratchFolder({ "a.txt": "one\n" });
  const secrets = await openSecrets();
  await secrets.set("TOKEN", token);
  const local = await openLocalTools({ roots: work.path, stateDir: `${work.path}-state`, secrets, shell });
  onTestFinished(() => local.close());
  return { work, local, run: async (script: string) => await local.command({ script }) };
}

/** Each pair is one operation and what undoes, mirrors or outlasts it. */
describe("pairs of the shell", () => {
  it.each(["bare $KARYI{TOKEN}", '"$KARYI{TOKEN}"', "'$KARYI{TOKEN}'"])(
    "a value goes in exactly and comes back masked: %s",
    async (place) => {
      const { work, run } = await opened({ backend: "pipe" });
      const { output } = await run(`printf '<%s>' ${place} | tee out | sed 's/</(/g'; printf '%q' ${place}`);
      expect((await work.read("out")).includes(token)).toBe(true);
      expect(output).toContain("‹TOKEN›");
      expect(output).not.toMatch(/tok-|0123/);
    },
  );

  it("a name that stands for a value in a script is in no text that comes back", async () => {
    const { run } = await opened({ backend: "pipe" });
    // The value is the name of a shell that stays: as an argument of sleep it would end it, and the job with it.
    await run("sh -c 'exec sleep 20' $KARYI{TOKEN} &");
    const { output } = await run("jobs; kill %1");
    expect(output).toContain("‹TOKEN›");
    expect(output).not.toContain("__v");
  });

  it("an input that is ended for one command is open for the next", async () => {
    const { local, run } = await opened({ backend: "pipe" });
    for (const data of ["first\n", "second\n"]) {
      expect(await run("cat")).toMatchObject({ status: "running", waiting: "input" });
      expect(await local.input({ data })).toMatchObject({ output: data });
      expect(await local.ctrl({ key: "d" })).toMatchObject({ status: "ended", exit: 0 });
    }
  });

  describe.runIf(notConfinable === undefined)("confined", () => {
    const write = (local: LocalTools): Promise<{ exit?: number; notes: string[] }> =>
      local.command({ script: "echo evil >>.git/config" });

    it("what is protected when a shell starts is protected while it is open", async () => {
      const { work, local } = await opened({ sandbox: "bwrap" });
      execFileSync("git", ["init", "-q"], { cwd: work.path });
      expect(await write(local)).toMatchObject({ exit: 1 });
      execFileSync("git", ["config", "a.b", "c"], { cwd: work.path });
      const { exit, notes } = await write(local);
      expect([exit, notes.join()]).toEqual([1, expect.stringContaining("took its protection away")]);
      expect(await work.read(".git/config")).not.toContain("evil");
    });

    it("what is hidden when a shell starts is hidden when it comes later", async () => {
      const { work, run } = await opened({ sandbox: { kind: "bwrap", hidden: ["/etc/hostname", "/nowhere/key"] } });
      expect((await run("cat /etc/hostname")).exit).toBe(1);
      const later = await scratchFolder();
      const { local } = await opened({ sandbox: { kind: "bwrap", hidden: [later.at("key")] } });
      await local.command({ script: ":" });
      writeFileSync(later.at("key"), "THE-KEY");
      expect((await local.command({ script: `cat ${later.at("key")}` })).output).not.toContain("THE-KEY");
      expect(await work.has("a.txt")).toBe(true);
    });
  });
});
