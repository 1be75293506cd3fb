import { existsSync, type FSWatcher, readFileSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "@toolglot/internal";
import type { ConfinedStart } from "./confinement.ts";

/**
 * Watches over the mounts that other processes of the host can undo: the kernel takes a mount away when what is under it is removed,
 * renamed or replaced elsewhere. Nothing can put it back from outside, so what runs must be ended.
 */
export class CoverGuard {
  readonly #first: number;
  readonly #start: Pick<ConfinedStart, "loose" | "absent">;
  readonly #watchers: FSWatcher[] = [];

  /** `first`: the namespace's first process. `onLost` is called with the path whenever a cover is seen to be gone. */
  constructor(first: number, start: Pick<ConfinedStart, "loose" | "absent">, onLost: (path: string) => void) {
    this.#first = first;
    this.#start = start;
    const watched = new Set([...start.loose, ...start.absent]);
    const look = (): void => {
      const lost = this.lost();
      if (lost !== undefined) onLost(lost);
    };
    for (const folder of new Set([...watched].map((path) => dirname(path)))) {
      // Where the system has no watch left, the look before each command remains.
      attempt(() => {
        const watcher = watch(folder, { persistent: false }, (_, name) => {
          if (name === null || watched.has(join(folder, name))) look();
        });
        this.#watchers.push(watcher.on("error", () => undefined));
      });
    }
  }

  /** Returns a place that is no longer covered; undefined while all are. */
  lost(): string | undefined {
    const { loose, absent } = this.#start;
    if (loose.length + absent.length === 0) return undefined;
    const table = attempt(() => readFileSync(`/proc/${this.#first}/mountinfo`, "utf8"));
    // Everything inside is over.
    if (table === undefined || table === "") return undefined;
    const points = new Set(table.split("\n").map((line) => unescaped(line.split(" ", 5)[4] ?? "")));
    return loose.find((path) => !points.has(path)) ?? absent.find((path) => existsSync(path));
  }

  close(): void {
    for (const watcher of this.#watchers.splice(0)) watcher.close();
  }
}

/** Decodes a path of the kernel's, which has blanks and line ends in octal. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}
