import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { onAbort } from "@toolglot/internal";
import type { Roots } from "../roots/roots.ts";

/** Bytes of file names on one command line; Windows takes 32,767 characters in all. */
const longestCommand = process.platform === "win32" ? 24_000 : 96_000;

/** The first `rg` on a PATH. One inside the roots is passed over: who writes there would have it run by the host. */
export async function findRipgrep(roots: Roots, path: string = process.env.PATH ?? ""): Promise<string | undefined> {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const file = join(folder, name);
    const usable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    const real = usable ? await realpath(file).catch(() => undefined) : undefined;
    if (real === undefined || roots.holds(real) || roots.holds(folder)) continue;
    if ((await stat(real).catch(() => undefined))?.isFile()) return real;
  }
  return undefined;
}

/** What ripgrep is asked. */
export interface RipgrepSearch {
  /** Texts of which a file must hold one. */
  needles: readonly string[];
  ignoreCase: boolean;
  /** Real path of the folder that the files' paths count from. */
  folder: string;
  /** Paths from the folder. */
  files: readonly string[];
  /** Milliseconds for all. */
  patience: number;
  signal?: AbortSignal;
}

/**
 * Which of the files hold one of the texts, or anything but ASCII; undefined when ripgrep can't tell (it failed, could not read a file, or took too long). It opens files by their
 * paths, so somebody who changes these meanwhile can have it look elsewhere: its answer only says where to look, and not one byte of
 * what it read goes anywhere.
 */
export async function filesWith(ripgrep: string, search: RipgrepSearch): Promise<Set<string> | undefined> {
  const found = new Set<string>();
  const until = Date.now() + search.patience;
  for (const files of batches(search.files)) {
    search.signal?.throwIfAborted();
    const names = await run(ripgrep, search, files, until - Date.now());
    search.signal?.throwIfAborted();
    if (names === undefined) return undefined;
    for (const name of names) found.add(name);
  }
  return found;
}

/** A text as a regular expression that fits nothing else. */
function escaped(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}#&~-]/g, "\\$&");
}

function* batches(files: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let size = 0;
  for (const file of files) {
    const length = Buffer.byteLength(file) + 4;
    if (size + length > longestCommand && batch.length > 0) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(file);
    size += length;
  }
  if (batch.length > 0) yield batch;
}

async function run(
  ripgrep: string,
  { needles, ignoreCase, folder, signal }: RipgrepSearch,
  files: readonly string[],
  patience: number,
): Promise<string[] | undefined> {
  const options = ["--no-config", "--no-ignore", "--hidden", "--no-follow", "--no-mmap", "--color=never"];
  const what = ["--text", "--encoding=none", ignoreCase ? "--ignore-case" : "--case-sensitive"];
  const answer = ["--files-with-matches", "--null", "--path-separator=/"];
  // What is no plain ASCII may be binary, or of another encoding: then it has to be looked at, too.
  const texts = [...needles.map(escaped), String.raw`(?-u:[\x00\x80-\xff])`].map((text) => `--regexp=${text}`);
  let child: ChildProcess;
  try {
    child = spawn(ripgrep, [...options, ...what, ...answer, ...texts, "--", ...files.map((file) => `./${file}`)], {
      cwd: folder,
      env: {},
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
  } catch {
    // Too long a command line, a NUL.
    return undefined;
  }
  return new Promise((done) => {
    const chunks: Buffer[] = [];
    let troubled = false;
    const stop = (): void => {
      troubled = true;
      child.kill("SIGKILL");
    };
    const clock = setTimeout(stop, Math.max(0, patience));
    const stopListening = onAbort(signal, stop);
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    // It speaks of what it was not able to understand, or to read.
    child.stderr?.on("data", () => {
      troubled = true;
    });
    child.on("error", () => {
      troubled = true;
      if (child.pid === undefined) finish();
    });
    child.on("close", finish);
    function finish(): void {
      clearTimeout(clock);
      stopListening();
      const names = Buffer.concat(chunks).toString("utf8").split("\0").slice(0, -1);
      const usable = !troubled && child.exitCode !== null && child.exitCode <= 1;
      done(usable ? names.map((name) => name.slice(2)) : undefined);
    }
  });
}
