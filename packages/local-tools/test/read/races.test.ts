import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { symlink } from "node:fs/promises";
import { rounds } from "@toolglot/internal/testing";
import { describe, it, onTestFinished } from "vitest";
import { localErrorType } from "../../src/errors.ts";
import { Roots } from "../../src/files/roots.ts";
import { Reader } from "../../src/read/reader.ts";
import { type Scratch, scratchFolder } from "../support/scratch.ts";

const times = rounds(1, 4);
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

/**
 * Does it as often as told, and on until it was a race: what is in its place at a moment is up to the system's scheduler. Some must have
 * been given and, where links are in the way, some refused; the test's own time-out ends it otherwise.
 */
async function attack(
  times: number,
  { given, refused }: { given: number; refused: number },
  make: (turn: number) => Promise<unknown>,
): Promise<void> {
  let good = 0;
  for (let turn = 0; turn < times || good < given || turn - good < refused; turn++) {
    const { said, outcome } = await everythingSaid(make(turn));
    if (said.includes(secret)) throw new Error(`leaked on turn ${turn}: ${said}`);
    if (outcome === "given") good++;
  }
}

describe("while files and folders become links to a secret and back", { timeout: 120_000 }, () => {
  it("files read are those inside, or none", async () => {
    const { roots } = await swapped();
    const reader = new Reader({ roots });
    const paths = ["top/folder/a.txt", "top/folder/c/d.txt", "top/folder.link.safe/file.txt", "top/folder/c/e/f.txt"];
    await attack(1200 * times, { given: 10, refused: 10 }, (turn) =>
      reader.read({ src: paths[turn % paths.length] as string }, open),
    );
  });

  it("folders held and files opened by the paths of a moment ago, too", async () => {
    const { roots, scratch } = await swapped();
    // As an editor does: what was located a while ago is opened now.
    await attack(1200 * times, { given: 10, refused: 10 }, async (turn) => {
      const opened = await roots.openPlace(
        scratch.at(turn % 2 === 0 ? "in/top/folder/a.txt" : "in/top/folder/c/e/f.txt"),
      );
      try {
        return await opened.handle.readFile("utf8");
      } finally {
        await opened.close();
      }
    });
  });

  it("directories listed are those inside, or none", async () => {
    const { roots } = await swapped();
    const reader = new Reader({ roots });
    const paths = ["top/folder", "top/folder/c", "top", "."];
    await attack(700 * times, { given: 10, refused: 0 }, (turn) =>
      reader.read({ src: paths[turn % paths.length] as string }, open),
    );
  });

  const searching = async (reader: Reader, times: number): Promise<void> => {
    const searches = [
      { pattern: secret.slice(0, 6) },
      { pattern: "public", src: "top" },
      { pattern: ".", src: "top/folder" },
    ];
    await attack(times, { given: 3, refused: 0 }, (turn) =>
      reader.search(searches[turn % searches.length] as { pattern: string }),
    );
  };

  it("searches find what is inside", async () => {
    const { roots } = await swapped();
    const reader = new Reader({ roots });
    onTestFinished(() => reader.close());
    await searching(reader, 160 * times);
  });
});
