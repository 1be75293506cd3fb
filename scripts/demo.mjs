// `npm run demo` and `npm run toolglot`: installs and builds what is missing, saying on stderr what it does, then runs the command
// line in this process, with the demo as its module or without. Standard output belongs to it alone, so that `npm run --silent demo -- --json` can be piped.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { digests, noteBuilt, stamp, unbuilt } from "./lib/demo-build.mjs";
import { inPairs } from "./lib/in-pairs.mjs";
import { root } from "./lib/workspace.mjs";

const modules = join(root, "node_modules");
const { stderr } = process;

/** Whether what is installed is what the lock file says. */
function installed() {
  const current = join(modules, ".pnpm/lock.yaml");
  return existsSync(current) && readFileSync(current, "utf8") === readFileSync(join(root, "pnpm-lock.yaml"), "utf8");
}

/** Shows a line in the place of the last one; where no terminal is, each that begins with other words. */
let shown = "";
/** @param {string} line */
function show(line) {
  if (stderr.isTTY) stderr.write(`\r\x1b[2K${line}`);
  else if (line.split(":")[0] !== shown.split(":")[0]) stderr.write(`${line}\n`);
  shown = line;
}

/**
 * Runs a command to its end; the whole demo ends with its output when it fails.
 * @param {string} command @param {string[]} args @param {string} cwd @param {(output: string) => void} [onOutput]
 */
async function run(command, args, cwd, onOutput) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, DO_NOT_TRACK: "1", CI: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32" && command === "npx",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
      onOutput?.(String(chunk));
    });
  }
  child.on("error", (error) => {
    output += error.message;
  });
  const code = await new Promise((resolve) => child.on("close", (status, signal) => resolve(signal ? 130 : status)));
  if (code === 0) return;
  stderr.write(`${stderr.isTTY ? "\n" : ""}${output.trimEnd()}\n${command} ${args.join(" ")} failed; see above.\n`);
  process.exit(code === 130 ? 130 : 1);
}

async function install() {
  const lock = readFileSync(join(root, "pnpm-lock.yaml"), "utf8");
  const count = /^snapshots:\n([\s\S]*)/m.exec(lock)?.[1]?.match(/^ {2}\S.*:/gm)?.length ?? 0;
  const what = `First start, 1 of 2: installing ${count} packages (about 600 MB on disk; half a minute, more on a slow line)`;
  show(what);
  const { packageManager = "pnpm" } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const args = ["--prefer-offline", "-y", packageManager, "install", "--frozen-lockfile", "--reporter=append-only"];
  await run("npx", args, root, (output) => {
    const progress = /Progress: .*/.exec(output)?.[0];
    if (progress) show(`${what}: ${progress.slice("Progress: ".length)}`);
  });
}

async function build() {
  const folders = unbuilt();
  const made = digests();
  let done = 0;
  // Declarations take most of a build, and nobody reads them here; those of an earlier build stay.
  const args = [join(modules, "tsup/dist/cli-default.js"), "--no-dts", "--no-clean", "--silent"];
  await inPairs(folders, async (folder) => {
    show(
      `${shown.startsWith("First") ? "First start, 2 of 2: b" : "B"}uilding ${folders.length} package${folders.length === 1 ? "" : "s"}: ${done} done, now ${folder}`,
    );
    await run(process.execPath, args, join(root, folder));
    done += 1;
  });
  noteBuilt(made);
}

/** Does something that two at one time would spoil. A lock that is older than any build was left behind. @param {() => Promise<void>} work */
async function oneAtATime(work) {
  const lock = `${stamp}.lock`;
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - made > 300_000) rmSync(lock, { recursive: true, force: true });
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  const release = () => rmSync(lock, { recursive: true, force: true });
  const stop = () => process.exit(130);
  process.once("exit", release).once("SIGINT", stop).once("SIGTERM", stop);
  try {
    await work();
  } finally {
    release();
    process.off("exit", release).off("SIGINT", stop).off("SIGTERM", stop);
  }
}

if (!installed()) await install();
if (unbuilt().length > 0) await oneAtATime(build);
if (shown !== "" && stderr.isTTY) stderr.write("\r\x1b[2K");
const { runProcess } = await import(pathToFileURL(join(root, "apps/cli/dist/index.js")).href);
const [first, ...rest] = process.argv.slice(2);
const alone = first === "--without-demo";
await runProcess(alone ? rest : process.argv.slice(2), {
  command: alone ? "npm run toolglot --" : "npm run demo --",
  // npm changes to the folder of its package first.
  folder: process.env.INIT_CWD || process.cwd(),
  tools: alone ? [] : [join(root, "apps/demo/dist/index.js")],
});
