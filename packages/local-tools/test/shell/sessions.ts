import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { openShell } from "../../src/shell/open-shell.ts";
import type { ShellBackend, ShellOptions, ShellSession } from "../../src/shell/types.ts";

export const backends: readonly ShellBackend[] = ["pty", "pipe"];

const open: { session: ShellSession; dir: string }[] = [];

/** A session in a folder of its own; closed and removed after the test. A test that runs beside others gives its own `onTestFinished`. */
export async function session(
  backend: ShellBackend,
  options: Partial<ShellOptions> = {},
  onTestFinished?: (done: () => Promise<void>) => void,
): Promise<{ shell: ShellSession; dir: string }> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "tg-shell-test-")));
  const cwd = join(dir, "home");
  mkdirSync(cwd);
  const shell = await openShell({ cwd, backend, artifactDir: join(dir, "artifacts"), timeoutMs: 15_000, ...options });
  if (onTestFinished) onTestFinished(() => finish({ session: shell, dir }));
  else open.push({ session: shell, dir });
  return { shell, dir: cwd };
}

async function finish({ session, dir }: { session: ShellSession; dir: string }): Promise<void> {
  await session.close();
  rmSync(dir, { recursive: true, force: true });
}

afterEach(async () => {
  for (const one of open.splice(0)) await finish(one);
});
