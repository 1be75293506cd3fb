import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { symlink } from "node:fs/promises";
import { rounds } from "@toolglot/internal/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { localErrorType } from "../../src/errors.ts";
import { Reader } from "../../src/read/reader.ts";
import { Roots } from "../../src/roots/roots.ts";
import { type Scratch, scratchFolder } from "../support/scratch.ts";

const times = rounds(1, 1, 4);
const secret = "SECRET-6f1d";
const open = { decide: () => Promise.resolve() };

/** Puts links in the place of a file and of a folder and takes them away again, as fast as it can. */
const swapper = `
const { renameSync } = require("node:fs");
process.chdir(process.argv[1]);
const swap = (name) => {
  renameSync(name, name + ".real");
  renameSync(name + ".link", name);
  renameSync(name, name + ".link");
  renameSync(name + ".real", name);
};
process.stdout.write("swapping");
const until = Date.now() + 120000;
while (Date.now() < until) for (let i = 0; i < 50; i++) {
  swap("top/folder");
  swap("top/folder.link.safe/file.txt");
  swap("top");
}
`;

/**
 * The root `in`. `top` and `top/folder` and a file become links to what lies outside and looks alike: the same names, with the secret
 * in them.
 */
async function swapped(): Promise<{ scratch: Scratch; roots: Roots; end(): Promise<void> }> {
  const files: Record<string, string> = {};
  for (const name of ["a.txt", "b.txt", "c/d.txt", "c/e/f.txt"]) {
    files[`in/top/folder/${name}`] = "a public line\n";
    files[`out/folder/${name}`] = `a public line and a ${secret}\n`;
  }
  files["in/top/folder.link.safe/file.txt"] = "a public line\n";
  files["out/folder.link.safe/file.txt"] = `a public line and a ${secret}\n`;
  files[`out/folder/${secret}.txt`] = `a ${secret}\n`;
  const scratch = await scratchFolder(files);
  await symlink("../out", scratch.at("in/top.link"));
  await symlink("../../out/folder", scratch.at("in/top/folder.link"));
  await symlink("../../../out/folder/a.txt", scratch.at("in/top/folder.link.safe/file.txt.link"));
  const child: ChildProcess = spawn(process.execPath, ["-e", swapper, scratch.at("in")], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const gone = once(child, "exit");
  const end = async (): Promise<void> => {
    child.kill("SIGKILL");
    await gone;
  };
  onTestFinished(end);
  await once(child.stdout as NonNullable<typeof child.stdout>, "data");
  return { scratch, roots: await Roots.open([scratch.at("in")]), end };
}

/** Whatever comes of it, in words. */
async function everythingSaid(run: Promise<unknown>): Promise<{ said: string; outcome: string }> {
  return run.then(
    (part) => ({ said: JSON.stringify(part), outcome: "given" }),
    (error: unknown) => {
      const type = localErrorType(error);
      // Nothing but refusals, whatever the moment.
      if (type === undefined) throw error;
      return { said: JSON.stringify([String(error), (error as { data?: unknown }).data]), outcome: type };
    },
  );
}

/** Does it until both has happened often, that something was given and that something was refused. */
async function attack(times: number, make: (turn: number) => Promise<unknown>): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  for (let turn = 0; turn < times; turn++) {
    const { said, outcome } = await everythingSaid(make(turn));
    if (said.includes(secret)) throw new Error(`leaked on turn ${turn}: ${said}`);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return outcomes;
}

describe("while files and folders become links to a secret and back", { timeout: 120_000 }, () => {
  it("files read are those inside, or none", async () => {
    const { roots } = await swapped();
    const reader = new Reader({ roots });
    const paths = ["top/folder/a.txt", "top/folder/c/d.txt", "top/folder.link.safe/file.txt", "top/folder/c/e/f.txt"];
    const outcomes = await attack(1200 * times, (turn) =>
      reader.read({ src: paths[turn % paths.length] as string }, open),
    );
    // It was a race: some were given, and some refused.
    expect(outcomes.given).toBeGreaterThan(10);
    expect(1200 * times - (outcomes.given ?? 0)).toBeGreaterThan(10);
  });

  it("folders held and files opened by the paths of a moment ago, too", async () => {
    const { roots, scratch } = await swapped();
    // As an editor does: what was located a while ago is opened now.
    const outcomes = await attack(1200 * times, async (turn) => {
      const opened = await roots.openPlace(
        scratch.at(turn % 2 === 0 ? "in/top/folder/a.txt" : "in/top/folder/c/e/f.txt"),
      );
      try {
        return await opened.handle.readFile("utf8");
      } finally {
        await opened.close();
      }
    });
    expect(outcomes.given).toBeGreaterThan(10);
    expect(1200 * times - (outcomes.given ?? 0)).toBeGreaterThan(10);
  });

  it("directories listed are those inside, or none", async () => {
    const { roots } = await swapped();
    const reader = new Reader({ roots });
    const paths = ["top/folder", "top/folder/c", "top", "."];
    const outcomes = await attack(700 * times, (turn) =>
      reader.read({ src: paths[turn % paths.length] as string }, open),
    );
    expect(outcomes.given).toBeGreaterThan(10);
  });

  const searching = async (reader: Reader, times: number): Promise<void> => {
    const searches = [
      { pattern: secret.slice(0, 6) },
      { pattern: "public", src: "top" },
      { pattern: ".", src: "top/folder" },
    ];
    const outcomes = await attack(times, (turn) =>
      reader.search(searches[turn % searches.length] as { pattern: string }),
    );
    expect(outcomes.given).toBeGreaterThan(3);
  };

  it("searches find what is inside", async () => {
    const { roots } = await swapped();
    const reader = new Reader({ roots });
    onTestFinished(() => reader.close());
    await searching(reader, 160 * times);
  });
});
