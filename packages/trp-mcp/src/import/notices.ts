import { canonicalJson, defined } from "@toolglot/internal";
import type { ImportNotice } from "../types.ts";

/** More different things than anybody has to report of one server. */
const maxKnown = 10_000;

/** Tells the host of a server's tools. */
export class Notices {
  readonly #server: string;
  readonly #onNotice: ((notice: ImportNotice) => void) | undefined;
  readonly #known = new Set<string>();

  constructor(server: string, onNotice?: (notice: ImportNotice) => void) {
    this.#server = server;
    this.#onNotice = onNotice;
  }

  notify(notice: Omit<ImportNotice, "server">): void {
    try {
      this.#onNotice?.({ server: this.#server, ...notice });
    } catch {
      // The host's log is its own affair.
    }
  }

  /** Tells what can't be used, once: lists are read again and again. */
  unusable(tool: string | undefined, message: string): void {
    const text = canonicalJson([tool ?? null, message]);
    if (this.#known.has(text)) return;
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.add(text);
    this.notify({ kind: "unusable", message, ...defined({ tool }) });
  }
}
