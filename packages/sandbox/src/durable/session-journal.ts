import type { EncodedFile } from "../engine.ts";
import { Journal, toJson } from "./journal.ts";
import { readFile } from "./read-records.ts";

/** A turn of a session in its log: a program, or a file that was written from outside. */
export class SessionJournal extends Journal {
  /** Writes down that no image comes of this program. */
  async dropImage(): Promise<void> {
    const result = await this.claim("unkept", "", "reclaim");
    if (result.status === "claimed") await this.settings.log.finish(result.claim, { state: "done", outcome: true });
  }

  async isImageDropped(): Promise<boolean> {
    return (await this.settings.log.read(this.keyOf("unkept")))?.outcome !== undefined;
  }

  /** Writes a file down, under a name that nothing else has. */
  async keepFile(file: EncodedFile): Promise<void> {
    const result = await this.claim("file", "", "reclaim");
    if (result.status === "claimed") {
      await this.settings.log.finish(result.claim, { state: "done", outcome: toJson(file) });
    }
  }

  /** `undefined`: there is none; `null`: it was not written to its end. */
  async readFile(): Promise<EncodedFile | null | undefined> {
    const record = await this.settings.log.read(this.keyOf("file"));
    if (record === undefined) return undefined;
    return record.outcome === undefined ? null : (readFile(record.outcome) ?? this.unreadable("file"));
  }
}
