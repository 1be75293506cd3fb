import type { OperationLog } from "@toolglot/core";
import { openRun } from "../../durable/open-run.ts";
import type { RunHeader, RunOutcome } from "../../durable/records.ts";
import { SessionJournal } from "../../durable/session-journal.ts";
import { type DurableSettings, resolveSettings } from "../../durable/settings.ts";
import type { EncodedFile } from "../../engine.ts";
import type { PendingProgram, SessionLimits } from "../../session/types.ts";

/** Entry of the log under a name. */
export interface LoggedTurn {
  header: RunHeader | undefined;
  outcome: RunOutcome | undefined;
  /** Written in place of a program. */
  file: EncodedFile | undefined;
}

const maxMs = 9_000_000_000_000;
const minKeepMs = 30 * 24 * 3_600_000;

/** Of an image's name, where it stands in that of a run. */
const shortLength = 16;

/**
 * The programs of a session in its log. Each is a run `<id>#<turn>`, the turn being the one that it makes; `<id>#<turn>.2` follows a
 * program that made none. Where the log has forgotten such a run of an earlier session of this id, the name has that of the image in it.
 */
export class SessionLog {
  readonly #log: OperationLog;
  readonly #id: string;
  readonly #limits: SessionLimits;

  constructor(log: OperationLog, id: string, limits: SessionLimits) {
    this.#log = log;
    this.#id = id;
    this.#limits = limits;
  }

  /** Of the run of this name. */
  settings(name: string): DurableSettings {
    const { idleMs, leaseMs, expireMs } = this.#limits;
    const keepMs = Math.max(minKeepMs, Math.min(expireMs, maxMs));
    return resolveSettings({ storage: { operations: this.#log }, id: name, parkAfterMs: idleMs, leaseMs, keepMs });
  }

  /** Returns an unused name for a program or a file that continues from this image. `isForgotten`: the first one could not be had. */
  async next(turn: number, image: string, isForgotten = false): Promise<string> {
    return (await this.#names(isForgotten ? this.#named(turn, image) : this.#numbered(turn))).free;
  }

  /**
   * Returns the program that continues from this image and is neither kept in another nor given up: it was interrupted, or its image
   * was not stored.
   */
  async pending(turn: number, image: string): Promise<PendingProgram | undefined> {
    const [numbered, named] = await Promise.all([
      this.#names(this.#numbered(turn)),
      this.#names(this.#named(turn, image)),
    ]);
    for (const name of [...numbered.taken, ...named.taken].reverse()) {
      const { header } = await this.read(name);
      if (header === undefined || header.session?.image !== image) continue;
      return (await this.#journal(name).isImageDropped()) ? undefined : { runId: name, code: header.source };
    }
    return undefined;
  }

  async read(name: string): Promise<LoggedTurn> {
    const journal = this.#journal(name);
    const [run, file] = await Promise.all([journal.readRun(), journal.readFile()]);
    return { header: run?.header, outcome: run?.outcome, file: file ?? undefined };
  }

  async keepFile(name: string, file: EncodedFile): Promise<void> {
    await this.#journal(name).keepFile(file);
  }

  /**
   * Checks whether this program can still be resumed. One that can't is given up, so that nobody waits for it; and so is one that has
   * done nothing, when `mayForget`.
   */
  async isOpen(name: string, image: string | undefined, mayForget: boolean): Promise<boolean> {
    const journal = this.#journal(name);
    const { header, outcome } = (await journal.readRun()) ?? {};
    if (header?.session?.image !== image) return false;
    const isOver = outcome !== undefined || (mayForget && (await journal.readCalls()).size === 0);
    if (isOver) await journal.dropImage();
    return !isOver;
  }

  /**
   * Makes sure that no process resumes this program. Rejects with `sandbox/run-live` when one may.
   */
  async takeBack(name: string): Promise<void> {
    const journal = this.#journal(name);
    const header = await journal.readHeader();
    if (header === undefined) return;
    const found = await openRun(journal, header, new AbortController().signal);
    if (found.state === "open") await found.leases.giveUp();
  }

  #journal(name: string): SessionJournal {
    return new SessionJournal(this.settings(name));
  }

  /** Returns the name of what continues from this turn. */
  #numbered(turn: number): string {
    return `${this.#id}#${turn + 1}`;
  }

  #named(turn: number, image: string): string {
    return `${this.#numbered(turn)}.${image.slice(0, shortLength)}`;
  }

  async #names(first: string): Promise<{ taken: string[]; free: string }> {
    const taken: string[] = [];
    for (let attempt = 1; ; attempt++) {
      const name = attempt === 1 ? first : `${first}.${attempt}`;
      const journal = this.#journal(name);
      const [run, file] = await Promise.all([journal.readRun(), journal.readFile()]);
      if (run === undefined && file === undefined) return { taken, free: name };
      taken.push(name);
    }
  }
}
