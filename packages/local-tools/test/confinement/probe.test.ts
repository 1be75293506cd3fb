import { existsSync, readFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { leftToCi } from "@toolglot/internal/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { makeExecuteShellCommand } from "../../src/agentscope/raw/index.ts";
import { programOutside } from "../../src/confinement/probe.ts";
import { localErrorType } from "../../src/errors.ts";
import { openLocalTools, openShell } from "../../src/index.ts";
import { call } from "../agentscope/raw/call.ts";
import { type Scratch, scratchFolder } from "../support/scratch.ts";

/** A folder with a bwrap that is this shell script, first on PATH. */
async function withBwrap(script: string, version = "bubblewrap 0.8.0"): Promise<Scratch> {
  const say = `if [ "$1" = --version ]; then echo "${version}"; exit; fi`;
  const scratch = await scratchFolder({ "bin/bwrap": `#!/bin/sh\n${say}\n${script}\n`, "work/a": "" });
  await chmod(scratch.at("bin/bwrap"), 0o755);
  usePath(`${scratch.at("bin")}:${process.env.PATH}`);
  return scratch;
}

function usePath(path: string): void {
  vi.stubEnv("PATH", path);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
}

/** Opens a confined shell in the folder, and gives how it failed. */
async function failure({ at }: Scratch, sandbox: object = {}): Promise<Record<string, unknown>> {
  const options = { cwd: at("work"), artifactDir: at("artifacts"), sandbox: { kind: "bwrap", ...sandbox } as const };
  const error = await openShell(options).catch((error: unknown) => error);
  expect(localErrorType(error)).toBe("ShellUnavailable");
  return { ...(error as { data: Record<string, unknown> }).data };
}

describe.runIf(process.platform === "linux")("a shell that can't be confined", () => {
  it.each([
    ["bwrap: setting up uid map: Permission denied", "userns-off"],
    ["bwrap: Creating new namespace failed: Operation not permitted", "userns-off"],
    ["bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "network-namespace"],
    ["bwrap: something nobody has heard of", "failed"],
  ])("is refused where bubblewrap says %j, and none is started instead", async (printed, reason) => {
    const scratch = await withBwrap(`echo "${printed}" >&2; exit 1`);
    expect(await failure(scratch)).toMatchObject({ reason, hint: expect.any(String) });
    expect(existsSync(scratch.at("work/.git"))).toBe(false);
  });

  it("is refused where bubblewrap is too old, or prints something else as its version", async () => {
    expect(await failure(await withBwrap("", "bubblewrap 0.3.3"))).toMatchObject({ reason: "old-bwrap" });
    expect(await failure(await withBwrap("", "hello"))).toMatchObject({ reason: "failed" });
  });

  it("is refused where bubblewrap doesn't come to an end", async (context) => {
    leftToCi(context);
    const begun = performance.now();
    expect(await failure(await withBwrap("exec sleep 60"))).toMatchObject({ reason: "failed" });
    expect(performance.now() - begun).toBeLessThan(30_000);
  }, 60_000);

  it("is refused without bubblewrap, also when it is named by its path", async () => {
    const scratch = await withBwrap("");
    usePath("/nonexistent");
    expect(await failure(scratch)).toMatchObject({ reason: "no-bwrap" });
    expect(await failure(scratch, { bwrap: scratch.at("bin/other") })).toMatchObject({ reason: "no-bwrap" });
  });

  it("is not asked to confine itself: a bwrap in a writable place is never run, also through a link", async () => {
    const { at, path } = await withBwrap(`echo run >>"$(dirname "$0")/ran"; exit 1`);
    for (const places of [[path], [at("bin")]]) {
      expect(programOutside("bwrap", places)).not.toBe(at("bin/bwrap"));
    }
    usePath(`${at("bin")}:.:bin`);
    const bin = { at: (name: string) => (name === "work" ? at("bin") : at(name)) } as Scratch;
    expect(await failure(bin)).toMatchObject({ reason: "no-bwrap" });
    expect(existsSync(at("bin/ran"))).toBe(false);
  });

  it("does without forbidding nested namespaces where bubblewrap can't, and fails with what it says then", async () => {
    const scratch = await withBwrap(
      `printf '%s\\n' "$*" >>"$(dirname "$0")/calls"; case "$*" in *--disable-userns*) exit 1;; esac; echo "bwrap: last" >&2; exit 1`,
    );
    expect(await failure(scratch)).toMatchObject({ reason: "failed" });
    const calls = readFileSync(scratch.at("bin/calls"), "utf8").trim().split("\n");
    expect(calls.map((line) => line.includes("--disable-userns"))).toEqual([true, true, false]);
  });

  it("fails each command of openLocalTools and each raw command, and runs none of them", async () => {
    const scratch = await withBwrap('echo "bwrap: setting up uid map: Permission denied" >&2; exit 1');
    const cwd = scratch.at("work");
    const local = await openLocalTools({ roots: cwd, stateDir: scratch.at("state"), shell: { sandbox: "bwrap" } });
    onTestFinished(() => local.close());
    for (let n = 0; n < 2; n++) {
      await expect(local.command({ script: "touch ran" })).rejects.toMatchObject({ data: { reason: "userns-off" } });
    }
    const tool = makeExecuteShellCommand({ cwd, sandbox: "bwrap" });
    for (let n = 0; n < 2; n++) {
      expect((await call(tool, { command: "touch ran" })).error).toMatchObject({ type: "ShellUnavailable" });
    }
    expect(existsSync(scratch.at("work/ran"))).toBe(false);
  });
});

it("is refused on other systems", async () => {
  const scratch = await scratchFolder({ "work/a": "" });
  const { platform } = process;
  Object.defineProperty(process, "platform", { value: "darwin" });
  onTestFinished(() => {
    Object.defineProperty(process, "platform", { value: platform });
  });
  expect(await failure(scratch)).toMatchObject({ reason: "platform" });
});
