import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLong, isThorough } from "@toolglot/internal/testing";
import { afterEach } from "vitest";
import { openShell } from "../../src/shell/open-shell.ts";
import type { ShellBackend, ShellOptions, ShellSession } from "../../src/shell/types.ts";
import { notConfinable } from "../support/bubblewrap.ts";

/** How a session is run: every suite runs in all ways. */
export type Way = ShellBackend | `confined ${ShellBackend}`;

/** The ways that there are here. Confined pipes are left to `test:long`; what they add to the others is their groups. */
export const ways: readonly Way[] = [
  ...(["pty", "pipe"] as const),
  ...(notConfinable === undefined ? (["confined pty"] as const) : []),
  ...(notConfinable === undefined && isLong ? (["confined pipe"] as const) : []),
];
/** Those with a terminal. */
export const terminals: readonly Way[] = ways.filter(hasTerminal);
/** For slow suites: a plain run leaves confined sessions to `.ci/run`. */
export const fewWays: readonly Way[] = ways.filter((way) => isThorough || !isConfined(way));
export const fewTerminals: readonly Way[] = fewWays.filter(hasTerminal);

export function hasTerminal(way: Way): boolean {
  return way.endsWith("pty");
}

export function isConfined(way: Way): boolean {
  return way.startsWith("confined");
}

/** The options of a session that is run in a way. */
export function optionsOf(way: Way): Pick<ShellOptions, "backend" | "sandbox"> {
  return { backend: hasTerminal(way) ? "pty" : "pipe", sandbox: isConfined(way) ? "bwrap" : false };
}

const open: { session: ShellSession; dir: string }[] = [];

/** A session in a folder of its own; closed and removed after the test. A test that runs beside others gives its own `onTestFinished`. */
export async function session(
  way: Way | "auto",
  options: Partial<ShellOptions> = {},
  onTestFinished?: (done: () => Promise<void>) => void,
): Promise<{ shell: ShellSession; dir: string }> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "tg-shell-test-")));
  const cwd = join(dir, "home");
  mkdirSync(cwd);
  const how = way === "auto" ? {} : optionsOf(way);
  const shell = await openShell({ cwd, ...how, artifactDir: join(dir, "artifacts"), timeoutMs: 15_000, ...options });
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
