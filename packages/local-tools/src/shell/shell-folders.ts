import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdtempSync, opendirSync, readlinkSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { attempt } from "@toolglot/internal";
import { isRunning } from "@toolglot/internal/node";

/** `toolglot-shell-<process id>-<where that number counts>-<random>`. */
const name = /^toolglot-shell-(\d{1,10})-([0-9a-f]{8})-[A-Za-z0-9]{6}$/;
/** Entries of the temporary folder that are looked at, and folders that are removed, at one opening. */
const most = { looked: 10_000, removed: 100 };

/** Process ids mean something on one machine and, on Linux, in one namespace: containers may share their temporary folder. */
function numbering(): string {
  const space = attempt(() => readlinkSync("/proc/self/ns/pid")) ?? "";
  return createHash("sha256").update(`${hostname()} ${space}`).digest("hex").slice(0, 8);
}

/** Creates a folder for one shell's files that only this user can enter; returns its path. */
export function newShellFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), `toolglot-shell-${process.pid}-${numbering()}-`));
  chmodSync(dir, 0o700);
  return dir;
}

/** Removes what hosts that were killed left behind: this user's folders whose process is gone. Never follows a link, never throws. */
export function removeDeadFolders(): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  try {
    const here = numbering();
    const folder = opendirSync(tmpdir());
    try {
      let removed = 0;
      for (let looked = 0; looked < most.looked && removed < most.removed; looked++) {
        const entry = folder.readSync();
        if (entry === null) return;
        const [, pid, where] = name.exec(entry.name) ?? [];
        if (where !== here || isRunning(Number(pid))) continue;
        const path = join(tmpdir(), entry.name);
        const found = lstatSync(path, { throwIfNoEntry: false });
        if (!found?.isDirectory() || found.uid !== user) continue;
        removed++;
        attempt(() => rmSync(path, { recursive: true, force: true }));
      }
    } finally {
      folder.closeSync();
    }
  } catch {}
}
