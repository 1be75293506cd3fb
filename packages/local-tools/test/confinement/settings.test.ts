import { mkdirSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { makeExecuteShellCommand } from "../../src/agentscope/raw/index.ts";
import { confinementSettings } from "../../src/confinement/settings.ts";
import { openLocalTools, openShell } from "../../src/index.ts";
import { scratchFolder } from "../support/scratch.ts";

it("is off by default", () => {
  expect(confinementSettings("x", undefined, { roots: ["/nonexistent"] })).toBeUndefined();
  expect(confinementSettings("x", false, { roots: ["/nonexistent"] })).toBeUndefined();
});

it("completes the options", async () => {
  const { path } = await scratchFolder({ "more/a": "" });
  expect(confinementSettings("x", "bwrap", { roots: [path] })).toEqual({
    kind: "bwrap",
    bwrap: "bwrap",
    writable: [path],
    hidden: [],
    readable: "all",
    network: false,
  });
  const more = join(path, "more");
  const options = { kind: "bwrap", writable: [more], hidden: ["/nowhere"], readable: ["/usr"], network: true } as const;
  expect(confinementSettings("x", options, { roots: [path], hidden: ["/state"] })).toMatchObject({
    writable: [path, more],
    hidden: ["/state", "/nowhere"],
    readable: ["/usr"],
    network: true,
  });
});

it("throws a TypeError for options that can't be", async () => {
  const { path, at } = await scratchFolder({ "a/b": "" });
  symlinkSync(at("a"), at("link"));
  mkdirSync(at("state"));
  const bad: unknown[] = [
    true,
    "docker",
    {},
    { kind: "landlock" },
    { kind: "bwrap", write: [] },
    { kind: "bwrap", writable: "a" },
    { kind: "bwrap", writable: ["a"] },
    { kind: "bwrap", writable: ["/"] },
    { kind: "bwrap", writable: [at("missing")] },
    { kind: "bwrap", writable: [at("link")] },
    { kind: "bwrap", writable: [`${at("link")}/`] },
    { kind: "bwrap", writable: [homedir()] },
    { kind: "bwrap", writable: [dirname(homedir())] },
    { kind: "bwrap", writable: [dirname(at("state"))] },
    { kind: "bwrap", hidden: ["keys"] },
    { kind: "bwrap", hidden: ["/"] },
    { kind: "bwrap", readable: "none" },
    { kind: "bwrap", readable: [at("missing")] },
    { kind: "bwrap", network: "no" },
    { kind: "bwrap", bwrap: "" },
    { kind: "bwrap", bwrap: "./bwrap" },
    { kind: "bwrap", bwrap: at("a/b") },
  ];
  for (const sandbox of bad) {
    const check = (): unknown =>
      confinementSettings("x", sandbox as never, { roots: [at("a")], hidden: [at("state")] });
    expect(check, JSON.stringify(sandbox)).toThrow(TypeError);
  }
  const artifactDir = at("artifacts");
  await expect(openShell({ cwd: at("link"), artifactDir, sandbox: "bwrap" })).rejects.toThrow(/a link/);
  await expect(openShell({ cwd: path, artifactDir, sandbox: {} as never })).rejects.toThrow(TypeError);
  const roots = { roots: at("link"), stateDir: `${path}-state` };
  await expect(openLocalTools({ ...roots, shell: { sandbox: "bwrap" } })).rejects.toThrow(/a link/);
  await (await openLocalTools({ ...roots, stateDir: at("state") })).close();
  expect(() => makeExecuteShellCommand({ cwd: at("link"), sandbox: "bwrap" })).toThrow(/a link/);
});
