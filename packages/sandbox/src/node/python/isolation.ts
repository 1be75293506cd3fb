import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { madeOnce } from "../../made-once.ts";
import type { SandboxIsolation } from "../../types.ts";

/** Prefix of a command that confines it. */
export interface Confinement {
  readonly isolation: Extract<SandboxIsolation, "process" | "namespace">;
  /** The first words of the command line. They end in an `exec`: the process keeps its id and its descriptors. */
  readonly before: readonly string[];
  /** Why it is no namespace, for people. */
  readonly reason?: string;
}

/**
 * A network of its own, without an interface that is up; own System V IPC and host name; and a user of its own that is
 * mapped to none, so that the process has no capability, also where the host is root. Its files stay those of the host's
 * user. No process namespace: it takes a second process for each guest, and SIGKILL would reach the guest by way of it.
 */
const namespaceFlags = ["--user", "--net", "--ipc", "--uts"];
/** The guest dies with the thread that started it, also when that is killed, and no program can raise its rights. */
const privilegeFlags = ["--no-new-privs", "--pdeathsig", "KILL"];
/** Takes 10 ms; a machine under load takes many times that. */
const trialTimeoutMs = 10_000;
/** The first file can be executed and all the others read. */
const trialScript = 'test -x "$0" && for file do test -r "$file" || exit 1; done';

const trials = new Map<string, Promise<Confinement>>();

/**
 * Resolves with how to start children that read `files`. Tried once in a process for the same files and the same `path`, which is a
 * `PATH` to find `unshare` and `setpriv` on. Never rejects.
 */
export function findConfinement(files: readonly string[], path: string | undefined): Promise<Confinement> {
  return madeOnce(trials, JSON.stringify([path, files]), () => tryOut(files, path));
}

async function tryOut(files: readonly string[], path = "/usr/bin:/bin"): Promise<Confinement> {
  if (process.platform !== "linux") return none("namespaces are of Linux");
  const unshare = findProgram("unshare", path);
  if (unshare === undefined) return none("unshare (util-linux) is not on the PATH");
  const plain = [unshare, ...namespaceFlags];
  const setpriv = findProgram("setpriv", path);
  const full = setpriv === undefined ? undefined : [...plain, setpriv, ...privilegeFlags];
  let reason = "";
  for (const before of [full, plain]) {
    if (before === undefined) continue;
    const fault = await tryCommand([...before, "/bin/sh", "-c", trialScript, process.execPath, ...files]);
    if (fault === undefined) return { isolation: "namespace", before };
    reason = fault;
  }
  return none(reason);
}

const none = (reason: string): Confinement => ({ isolation: "process", before: [], reason });

function findProgram(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Resolves with why the command fails, if it does. */
function tryCommand([file = "", ...args]: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(file, args, { env: {}, cwd: "/", timeout: trialTimeoutMs, killSignal: "SIGKILL" }, (error, _, stderr) => {
      if (error === null) resolve(undefined);
      else resolve(stderr.trim() || "in a user namespace the engine's files can't be read");
    });
  });
}
