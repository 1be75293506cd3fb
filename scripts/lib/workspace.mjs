// What every script of the repository needs to know: where things are, and how to reach the pinned pnpm.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { delimiter, join } from "node:path";

/** The repository's root folder, absolute. */
export const root = join(import.meta.dirname, "../..");

const windows = process.platform === "win32";

/**
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} [packageManager]
 * @property {boolean} [private]
 * @property {Record<string, unknown>} [exports]
 * @property {{ exports?: Record<string, unknown> }} [publishConfig]
 * @property {Record<string, string>} [scripts]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, { optional?: boolean }>} [peerDependenciesMeta]
 * @property {Record<string, string>} [devDependencies]
 */

/**
 * A workspace member. `folder` is relative to the root with `/`, `id` is the folder's last part (`attp`).
 * @typedef {{ id: string, folder: string, path: string, manifest: Manifest }} Member
 */

/**
 * @param {string} folder
 * @returns {Manifest}
 */
const readManifest = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/**
 * Every workspace member, packages first, each list in alphabetical order.
 * @returns {Member[]}
 */
export function workspaceMembers() {
  const nested = ["packages", "apps"].flatMap((top) =>
    readdirSync(join(root, top))
      .sort()
      .map((name) => `${top}/${name}`),
  );
  return [...nested, "bench", "conformance"]
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .map((folder) => {
      const path = join(root, folder);
      return { id: folder.split("/").at(-1) ?? folder, folder, path, manifest: readManifest(path) };
    });
}

/** The members that get published. */
export const publicPackages = () => workspaceMembers().filter((member) => member.manifest.private !== true);

/** Environment for every child: quiet tools that would phone home, never ask a question; colours for people only. */
const quiet = {
  ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" }),
  TURBO_TELEMETRY_DISABLED: "1",
  DO_NOT_TRACK: "1",
  NPM_CONFIG_UPDATE_NOTIFIER: "false",
  CI: process.env.CI ?? "1",
};

/**
 * An environment whose PATH has the pinned pnpm and the workspace's own tools first. pnpm comes through npx: corepack
 * and a global install would each be one more thing to set up.
 * @returns {NodeJS.ProcessEnv}
 */
export function toolEnvironment() {
  const pnpm = readManifest(root).packageManager ?? "pnpm";
  // npx puts the folder of the package it fetched on PATH: print that PATH.
  const found = spawnSync("npx", ["--prefer-offline", "-y", "-p", pnpm, "node", "-p", "process.env.PATH"], {
    cwd: root,
    encoding: "utf8",
    shell: windows,
    env: { ...process.env, ...quiet },
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (found.status !== 0) throw new Error(`npx could not fetch ${pnpm}: is the npm registry reachable?`);
  const path = [join(root, "node_modules/.bin"), found.stdout.trim()].join(delimiter);
  return { ...process.env, ...quiet, PATH: path };
}

/** A third of the time that others have: what is beside the tests still gets to its end. */
const aside = constants.priority.PRIORITY_BELOW_NORMAL / 2;

/** @param {number} pid The first process of a session. */
function giveWay(pid) {
  try {
    if (getPriority(pid) < aside) setPriority(pid, aside);
    // Linux may share the processor among sessions first, each with a priority of its own.
    const file = `/proc/${pid}/autogroup`;
    if (existsSync(file)) writeFileSync(file, String(aside));
  } catch {
    // It has ended, or the system lets this user do so only a few times a second.
  }
}

/**
 * Runs a command to its end. Nothing is thrown for a failing command: look at `code`.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, stream?: boolean, timeoutMs?: number, signal?: AbortSignal, isAside?: boolean }} [options]
 *   `isAside`: at a lower priority, as it always is below one that is aside. `stream` passes the output on as it comes; else it is only collected.
 * @returns {Promise<{ code: number, output: string, stdout: string, seconds: number }>} `output` is stdout and stderr as they came.
 */
export function run(command, args, options = {}) {
  const { cwd = root, env = process.env, stream = false, timeoutMs = 15 * 60_000, isAside = false } = options;
  const started = performance.now();
  return new Promise((resolve) => {
    // Own process group (POSIX): a timeout must take the grandchildren with it.
    const child = spawn(command, args, {
      cwd,
      env,
      shell: windows,
      detached: !windows,
      stdio: ["ignore", "pipe", "pipe"],
    });
    if ((isAside || getPriority() > 0) && child.pid !== undefined) giveWay(child.pid);
    let output = "";
    let stdout = "";
    /** @param {Buffer} chunk */
    const collect = (chunk) => {
      output += chunk.toString();
      if (stream) process.stdout.write(chunk);
    };
    child.stdout.on("data", collect);
    child.stdout.on("data", (/** @type {Buffer} */ chunk) => {
      stdout += chunk.toString();
    });
    child.stderr.on("data", collect);
    const killGroup = () => {
      try {
        if (windows || child.pid === undefined) child.kill("SIGKILL");
        else process.kill(-child.pid, "SIGKILL");
      } catch {
        // The group is already gone.
      }
    };
    const timer = setTimeout(() => {
      output += `\n${command} was stopped after ${timeoutMs / 1000} s\n`;
      killGroup();
    }, timeoutMs);
    const stop = () => {
      killGroup();
      process.exit(130);
    };
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
    options.signal?.addEventListener("abort", killGroup, { once: true });
    /** @param {number} code */
    const settle = (code) => {
      clearTimeout(timer);
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
      options.signal?.removeEventListener("abort", killGroup);
      resolve({ code, output, stdout, seconds: (performance.now() - started) / 1000 });
    };
    child.on("error", (error) => {
      output += `${command}: ${error.message}\n`;
      settle(127);
    });
    child.on("close", (code) => settle(code ?? 1));
  });
}
