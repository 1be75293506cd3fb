import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { expect, it } from "vitest";
import { protectedPlaces } from "../../src/confinement/git-places.ts";
import { makeStandIns } from "../../src/confinement/stand-ins.ts";
import { scratchFolder } from "../support/scratch.ts";

const repository = (at: string) => ({
  [`${at}/HEAD`]: "ref: refs/heads/main\n",
  [`${at}/config`]: "",
  [`${at}/hooks/pre-commit`]: "",
  [`${at}/info/exclude`]: "",
});

it("finds repositories to a depth of three folders, modules and linked work trees", async () => {
  const { path } = await scratchFolder({
    ...repository(".git"),
    ...repository(".git/modules/libs/one"),
    ...repository("a/b/c/.git"),
    ...repository("a/b/c/d/.git"),
    ...repository("far/real"),
    ".git/worktrees/w/HEAD": "",
    "tree/.git": "gitdir: ../far/real\n",
    "outside/.git": "gitdir: /etc\n",
  });
  const { pinned, kept, missing, limits } = protectedPlaces([path]);
  const short = (paths: readonly string[]): string[] => paths.map((one) => relative(path, one)).sort();
  expect(short(kept)).toEqual(
    [
      ...[".git", ".git/modules/libs/one", "a/b/c/.git", "far/real"].flatMap((one) => [
        `${one}/config`,
        `${one}/hooks`,
      ]),
      "outside/.git",
      "tree/.git",
    ].sort(),
  );
  expect(short(missing.map((one) => one.path))).toEqual(
    [
      ...[".git", ".git/modules/libs/one", "a/b/c/.git", "far/real"].flatMap((one) => [
        `${one}/commondir`,
        `${one}/config.worktree`,
        `${one}/info/attributes`,
      ]),
      ...["commondir", "config", "config.worktree", "hooks", "info"].map((name) => `.git/worktrees/w/${name}`),
    ].sort(),
  );
  expect(short(pinned)).toEqual(
    expect.arrayContaining([
      ".git",
      ".git/info",
      ".git/modules",
      ".git/modules/libs",
      "a",
      "a/b",
      "a/b/c",
      "a/b/c/.git",
    ]),
  );
  expect(limits).toEqual([]);
});

it("says of links that they can be replaced, and protects what they lead to in the roots", async () => {
  const { path, at } = await scratchFolder({ ...repository(".git"), "shared/hooks/x": "" });
  rmSync(at(".git/hooks"), { recursive: true });
  symlinkSync(at("shared/hooks"), at(".git/hooks"));
  rmSync(at(".git/info"), { recursive: true });
  symlinkSync("/etc", at(".git/info"));
  const { kept, missing, limits } = protectedPlaces([path]);
  expect(kept).toContain(at("shared/hooks"));
  expect(missing.map((one) => one.path)).not.toContain(at(".git/info/attributes"));
  expect(limits).toEqual([expect.stringContaining("hooks is a link"), expect.stringContaining("info is a link")]);
});

it("protects a writable place that is a git folder itself", async () => {
  const { at } = await scratchFolder({ ...repository("repo/.git"), "repo/.git/objects/a": "", "other/HEAD": "" });
  const { kept } = protectedPlaces([at("repo/.git")]);
  expect(kept).toEqual([at("repo/.git/hooks"), at("repo/.git/config")]);
  expect(protectedPlaces([at("other")])).toMatchObject({ kept: [], missing: [] });
});

it("covers nothing where there is no repository yet", async () => {
  const { path, at } = await scratchFolder({ "a/b": "" });
  mkdirSync(at("a/.git"));
  expect(protectedPlaces([path])).toMatchObject({ kept: [], missing: [], limits: [] });
});

it("removes what stood in for something once nobody needs it, and nothing else", async () => {
  const { at, has } = await scratchFolder({ "there/a": "" });
  const places = [
    { path: at("folder"), kind: "folder" as const },
    { path: at("folder/file"), kind: "file" as const, text: "." },
    { path: at("there"), kind: "folder" as const },
    { path: at("there/a"), kind: "file" as const },
  ];
  const first = makeStandIns(places);
  const second = makeStandIns(places);
  first();
  expect([await has("folder/file"), await has("there/a")]).toEqual([true, true]);
  writeFileSync(at("folder/file"), "somebody's");
  second();
  expect([await has("folder/file"), await has("there/a")]).toEqual([true, true]);
  rmSync(at("folder"), { recursive: true });
  makeStandIns(places)();
  expect([await has("folder"), await has("there/a")]).toEqual([false, true]);
});
