import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { openShell } from "../../src/shell/open-shell.ts";
import type { ShellBackend, ShellOptions, ShellSession } from "../../src/shell/types.ts";

export const backends: readonly ShellBackend[] = ["pty", "pipe"];

const open: { session: ShellSession; dir: string }[] = [];

/** A session in a folder of its own; closed and removed after the test. */
export async function session(
  backend: ShellBackend,
  options: Partial<ShellOptions> = {},
): Promise<{ shell: ShellSession; dir: string }> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "tg-shell-test-")));
  const cwd = join(dir, "home");
  mkdirSync(cwd);
  const shell = await openShell({ cwd, backend, artifactDir: join(dir, "artifacts"), timeoutMs: 15_000, ...options });
  open.push({ session: shell, dir });
  return { shell, dir: cwd };
}

afterEach(async () => {
  for (const { session, dir } of open.splice(0)) {
    await session.close();
    rmSync(dir, { recursive: true, force: true });
  }
});
