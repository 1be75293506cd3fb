// `npm run demo`: installs and builds what is missing, quietly and on stderr, then runs the demo with the same
// terminal. Standard output belongs to the demo alone, so that `npm run --silent demo -- --json` can be piped.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const main = join(root, "apps", "demo", "dist", "main.js");
const turbo = join(root, "node_modules", "turbo", "bin", "turbo");
const stamp = join(root, "node_modules", ".toolglot-installed");
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" };
const build = ["run", "build", "--filter=demo...", "--output-logs=errors-only"];

/** What an installation depends on, as one hash. */
function installationKey() {
  const hash = createHash("sha256").update(`${process.version} ${process.platform} ${process.arch}\n`);
  const manifests = ["packages", "apps"].flatMap((top) =>
    readdirSync(join(root, top)).map((name) => join(top, name, "package.json")),
  );
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", "package.json", ...manifests.sort()]) {
    const path = join(root, file);
    if (existsSync(path)) hash.update(`${file}\n`).update(readFileSync(path));
  }
  return hash.digest("hex");
}

/** Runs pnpm at the pinned version; its output goes to stderr, and only when it fails or `loud` is set. */
function pnpm(args, loud) {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const result = spawnSync("npx", ["--prefer-offline", "-y", packageManager, ...args], {
    cwd: root,
    env,
    // 2: what the child says on stdout goes to our stderr.
    stdio: loud ? ["ignore", 2, 2] : ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  if (result.signal === "SIGINT" || result.status === 130) process.exit(130);
  if (result.status === 0) return true;
  if (!loud) process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}`);
  if (result.error) process.stderr.write(`${result.error.message}\n`);
  return false;
}

function install(key) {
  process.stderr.write("Installing what the demo needs…\n");
  if (!pnpm(["install", "--frozen-lockfile"], false)) fail("The installation failed; see above.");
  mkdirSync(join(root, "node_modules"), { recursive: true });
  writeFileSync(stamp, key);
}

/** Whether turbo has every build in its cache: then it needs no package manager to restore them. */
function builtBefore() {
  const dry = spawnSync(process.execPath, [turbo, ...build, "--dry=json"], { cwd: root, env, encoding: "utf8" });
  if (dry.status !== 0) return false;
  try {
    return JSON.parse(dry.stdout).tasks.every((task) => task.cache?.status === "HIT");
  } catch {
    return false;
  }
}

function restoreBuild() {
  const result = spawnSync(process.execPath, [turbo, ...build], { cwd: root, env, stdio: "ignore" });
  return result.status === 0 && existsSync(main);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const key = installationKey();
const installed = existsSync(stamp) && readFileSync(stamp, "utf8") === key;
if (!installed) install(key);
if (!(installed && builtBefore() && restoreBuild())) {
  process.stderr.write("Building the packages…\n");
  // --ui and --output-logs keep it calm; a failure still shows everything.
  if (!pnpm(["exec", "turbo", ...build], false)) fail("The build failed; see above.");
}

const child = spawn(process.execPath, [main, ...process.argv.slice(2)], { stdio: "inherit" });

// A terminal sends Ctrl-C to the whole group, and npm sends it once more: the demo counts signals that come close
// together as one, so passing each of them on is right for terminals and for `kill` alike.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => fail(error.message));
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
