import { type ExecFileException, execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { Roots } from "../roots/roots.ts";

/** Bytes of file names on one command line; Windows takes 32,767 characters in all. */
const longestCommand = process.platform === "win32" ? 24_000 : 96_000;

/** The first `rg` on a PATH. One inside the roots is not taken: the host would run what a model may have written. */
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
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Which of the files hold one of the texts, or anything but ASCII; undefined when ripgrep doesn't know (it failed, could not read a file, or took too long). It opens files by their
 * paths, so somebody who changes these meanwhile can have it look elsewhere: its answer only says where to look, and not one byte of
 * what it read goes anywhere.
 */
export async function filesWith(ripgrep: string, search: RipgrepSearch): Promise<Set<string> | undefined> {
  const found = new Set<string>();
  const until = Date.now() + search.timeoutMs;
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

/** The files of one command line that hold a text; undefined when ripgrep said anything else, or did not end well. */
function run(
  ripgrep: string,
  { needles, ignoreCase, folder, signal }: RipgrepSearch,
  files: readonly string[],
  timeoutMs: number,
): Promise<string[] | undefined> {
  const options = ["--no-config", "--no-ignore", "--hidden", "--no-follow", "--no-mmap", "--color=never"];
  const what = ["--text", "--encoding=none", ignoreCase ? "--ignore-case" : "--case-sensitive"];
  const answer = ["--files-with-matches", "--null", "--path-separator=/"];
  // What is no plain ASCII may be binary, or of another encoding: then it has to be searched, too.
  const texts = [...needles.map(escaped), String.raw`(?-u:[\x00\x80-\xff])`].map((text) => `--regexp=${text}`);
  const names = files.map((file) => `./${file}`);
  const settings = {
    cwd: folder,
    env: {},
    windowsHide: true,
    encoding: "utf8",
    maxBuffer: Number.POSITIVE_INFINITY,
    timeout: Math.max(1, timeoutMs),
    killSignal: "SIGKILL",
    signal,
  } as const;
  return new Promise((resolve) => {
    try {
      const child = execFile(ripgrep, [...options, ...what, ...answer, ...texts, "--", ...names], settings, done);
      child.stdin?.end();
    } catch {
      // Too long a command line, a NUL.
      resolve(undefined);
    }
    function done(error: ExecFileException | null, stdout: string, stderr: string): void {
      // Exit status 1: no match. It writes to stderr what it was not able to understand, or to read.
      const usable = stderr === "" && (error === null || error.code === 1);
      resolve(
        usable
          ? stdout
              .split("\0")
              .slice(0, -1)
              .map((name) => name.slice(2))
          : undefined,
      );
    }
  });
}
