import { rmSync } from "node:fs";
import { sleep } from "@toolglot/internal";
import type { ConfinedStart, Confinement } from "../confinement/confinement.ts";
import { CoverGuard } from "../confinement/cover-guard.ts";
import { childrenOf, isOver, numberInside } from "./linux-processes.ts";
import { signal } from "./processes.ts";
import { newShellFolder } from "./shell-folders.ts";
import type { ShellBackend } from "./types.ts";

/**
 * What is special about a bash that bubblewrap started. The host sees three processes: bubblewrap, the first process of the
 * namespace (bubblewrap, too), and bash, its child. When the first one ends, the kernel ends all others of the namespace.
 */
export class ConfinedBash {
  /** The bash's own folder, the only one of the host's temporary folder that it sees. */
  readonly folder: string;
  readonly start: ConfinedStart;
  /** What lost its cover, so that everything inside was ended. */
  uncovered: string | undefined;
  /** The namespace's first process, by the host's number. */
  #first: number | undefined;
  #guard: CoverGuard | undefined;

  constructor(confinement: Confinement, cwd: string, backend: ShellBackend) {
    this.folder = newShellFolder();
    try {
      this.start = confinement.start({ cwd, folder: this.folder, newSession: backend === "pipe" });
    } catch (error) {
      rmSync(this.folder, { recursive: true, force: true });
      throw error;
    }
  }

  get first(): number | undefined {
    return this.#first;
  }

  /** Returns the number that the host has for bash; `outer`: bubblewrap's, `inner`: the one that bash has for itself. */
  find(outer: number, inner: number): number | undefined {
    for (const first of childrenOf(outer)) {
      const found = childrenOf(first).find((pid) => numberInside(pid) === inner);
      if (found === undefined) continue;
      this.#first = first;
      this.#guard = new CoverGuard(first, this.start, (path) => this.#end(path));
      this.checkCovers();
      return found;
    }
    return undefined;
  }

  /** Ends everything inside when a cover is gone. True when all are there. */
  checkCovers(): boolean {
    const lost = this.#guard?.lost();
    if (lost !== undefined) this.#end(lost);
    return lost === undefined;
  }

  #end(lost: string): void {
    this.uncovered ??= lost;
    if (this.#first !== undefined) signal(this.#first, "SIGKILL");
  }

  /** Returns what is to be started so that a program runs confined. */
  command(program: string, args: readonly string[]): { bash: string; args: readonly string[] } {
    return { bash: this.start.program, args: [...this.start.arguments, "--", program, ...args] };
  }

  kill(outer: number): void {
    signal(this.#first ?? outer, "SIGKILL");
  }

  /** Resolves when everything inside has ended: it does so right after bubblewrap. */
  async gone(): Promise<void> {
    const first = this.#first;
    for (let waited = 0; first !== undefined && !isOver(first) && waited < 2000; waited += 5) await sleep(5);
  }

  dispose(): void {
    this.#guard?.close();
    this.start.release();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Tries a confinement out, as of a program without a terminal; see {@link Confinement.tryOut}. */
export async function tryOut(
  confinement: Confinement,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<boolean> {
  const folder = newShellFolder();
  try {
    return await confinement.tryOut(env, { cwd, folder, newSession: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
