import { sleep } from "@toolglot/internal";
import type { Processes } from "./processes.ts";

/**
 * Where a shell stands when it waits at its prompt: in which system call, on which descriptor, with which buffer. A `read` of a script
 * uses another buffer, and a shell that replaced this one has its own addresses.
 */
export class PromptPlace {
  readonly #processes: Processes;
  readonly #shell: { readonly pid: number };
  #place: string | undefined;

  constructor(processes: Processes, shell: { readonly pid: number }) {
    this.#processes = processes;
    this.#shell = shell;
  }

  /** False where the system doesn't show it. */
  get known(): boolean {
    return this.#place !== undefined;
  }

  /** To be called while the shell is idle: remembers where it stands, the same twice in a row. `settled`: its prompt is printed. */
  async learn(settled: () => boolean): Promise<void> {
    let last: string | undefined;
    for (let round = 0; round < 2000 && this.#processes.showsPlaces; round++) {
      const place = settled() ? this.#processes.place(this.#shell.pid) : undefined;
      // Its standard input, which is descriptor 0.
      if (place !== undefined && place === last && place.includes(" 0x0 ")) {
        this.#place = place;
        return;
      }
      last = place;
      await sleep(1);
    }
  }

  /** `there`: it waits for what is typed. `astray`: it waits for lines, but from elsewhere, since a script took its input away. */
  here(): "there" | "astray" | "elsewhere" {
    const place = this.#processes.place(this.#shell.pid);
    if (place === undefined || this.#place === undefined) return "elsewhere";
    if (place === this.#place) return "there";
    const call = (whole: string): string => whole.split(" ", 4).join(" ");
    return call(place) === call(this.#place) ? "astray" : "elsewhere";
  }
}
