import { execFile, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { isThorough } from "@toolglot/internal/testing";
import { bundle } from "@toolglot/internal/testing/programs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const has = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
const missing = ["dbus-run-session", "gnome-keyring-daemon"].filter((program) => !has(program));

// With short names: a socket's path may have 107 characters.
const folder = mkdtempSync(join(tmpdir(), "tg-keychain-"));
let program = "";
beforeAll(async () => {
  program = await bundle("keychain", import.meta.dirname);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the program in a home of its own, which has no session bus; `withPeer`: the optional peer is installed beside it. */
async function run(name: string, { withPeer, script }: { withPeer: boolean; script: string }): Promise<unknown> {
  const home = join(folder, name);
  mkdirSync(join(home, "node_modules/@napi-rs"), { recursive: true });
  mkdirSync(join(home, "run"), { mode: 0o700 });
  copyFileSync(program, join(home, "program.mjs"));
  if (withPeer) {
    const peer = dirname(createRequire(import.meta.url).resolve("@napi-rs/keyring/package.json"));
    symlinkSync(realpathSync(peer), join(home, "node_modules/@napi-rs/keyring"));
  }
  const env = {
    PATH: process.env.PATH ?? "",
    NODE: process.execPath,
    HOME: home,
    XDG_DATA_HOME: join(home, "data"),
    XDG_RUNTIME_DIR: join(home, "run"),
    DBUS_SESSION_BUS_ADDRESS: "unix:path=/dev/null",
  };
  const { stdout } = await promisify(execFile)("sh", ["-c", script], { cwd: home, env, timeout: 60_000 });
  return JSON.parse(stdout) as unknown;
}

const alone = 'exec "$NODE" program.mjs';
// The daemon is on the session's bus, and ends with it.
const withSecretService = `exec dbus-run-session -- sh -c 'printf passphrase | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; ${alone}'`;

describe.runIf(process.platform === "linux")("the system's keychain", { concurrent: true }, () => {
  it("should keep values in a real Secret Service", async ({ skip }) => {
    if (missing.length > 0 && !isThorough) skip(`${missing.join(" and ")} not installed`);
    expect(await run("with", { withPeer: true, script: withSecretService })).toEqual({
      listed: [{ name: "TOKEN", scope: "/a project", kept: true }],
      isRead: true,
      longest: { value: "x".repeat(1900) },
      tooLong: "TypeError",
      removed: [true, false, true],
      left: ["OTHER"],
    });
  });

  it("should say so where there is no Secret Service", async () => {
    const code = "secrets/keychain-unavailable";
    expect(await run("without", { withPeer: true, script: alone })).toMatchObject({ failed: { code } });
  });

  it("should say so without the optional peer", async () => {
    const code = "secrets/keychain-unavailable";
    const message = expect.stringContaining("@napi-rs/keyring is not installed");
    expect(await run("no-peer", { withPeer: false, script: alone })).toEqual({ failed: { code, message } });
  });
});
