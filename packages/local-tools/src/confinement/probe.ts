import { execFile } from "node:child_process";
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { attempt } from "@toolglot/internal";
import { bwrapVersion, classifyFailure, confinementUnavailable, isAtLeast, oldestBwrap } from "./failures.ts";
import { isInAny } from "./hidden-places.ts";

/** How long bubblewrap may take to start a program. */
const probeMs = 3000;
/** The version from which on it can forbid user namespaces inside. */
const firstToForbid: readonly [number, number] = [0, 8];

/** A bubblewrap. */
export interface FoundBwrap {
  path: string;
  /** Whether it is asked to forbid user namespaces inside. */
  forbidsNested: boolean;
}

/** Returns a program by its path or its name on PATH, unless it lies in one of the places; undefined when there is none. */
export function programOutside(name: string, places: readonly string[]): string | undefined {
  const paths = name.includes("/")
    ? [name]
    : (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name));
  return paths.find((path) => {
    const real = isAbsolute(path) ? attempt(() => realpathSync(path)) : undefined;
    if (real === undefined || isInAny(places, path) || isInAny(places, real)) return false;
    const isProgram = (): boolean => {
      accessSync(real, constants.X_OK);
      return statSync(real).isFile();
    };
    return attempt(isProgram) === true;
  });
}

/** Those that can't forbid user namespaces inside, as a probe has shown. */
const nesting: Set<string> = new Set();

/** Finds bubblewrap; throws `ShellUnavailable` where there is none that may be run. */
export function findBwrap(name: string, writable: readonly string[]): FoundBwrap {
  if (process.platform !== "linux") throw confinementUnavailable("platform");
  const path = programOutside(name, writable);
  if (path === undefined) throw confinementUnavailable("no-bwrap");
  return { path, forbidsNested: !nesting.has(path) };
}

/**
 * Starts `true` with the arguments of a real start, which `argumentsFor` makes. Rejects with `ShellUnavailable`, which names
 * the reason and the cure.
 */
export async function probe(
  path: string,
  env: Readonly<Record<string, string>>,
  argumentsFor: (found: FoundBwrap) => readonly string[],
): Promise<void> {
  const { stdout } = await run(path, ["--version"], env);
  const version = bwrapVersion(stdout);
  if (version === undefined) throw confinementUnavailable("failed", `${path} --version: ${stdout}`);
  if (!isAtLeast(version, oldestBwrap)) throw confinementUnavailable("old-bwrap", stdout);
  let printed = "";
  // Some containers and set-uid programs don't let it forbid nested namespaces; the rest works there all the same.
  for (const forbidsNested of isAtLeast(version, firstToForbid) ? [true, false] : [false]) {
    const args = [...argumentsFor({ path, forbidsNested }), "--", "true"];
    const { failed, isTooLate, stderr } = await run(path, args, env);
    if (!failed) {
      if (!forbidsNested) nesting.add(path);
      return;
    }
    printed = stderr;
    if (isTooLate || classifyFailure(stderr) !== "failed") break;
  }
  throw confinementUnavailable(classifyFailure(printed), printed);
}

function run(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ failed: boolean; isTooLate: boolean; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(path, [...args], { env: { ...env }, timeout: probeMs, killSignal: "SIGKILL" }, (error, stdout, stderr) => {
      const isTooLate = error?.killed === true;
      const printed = stderr || (error ? `${error.message}${isTooLate ? ` (after ${probeMs} ms)` : ""}` : "");
      resolve({ failed: error !== null, isTooLate, stdout, stderr: printed });
    });
  });
}
