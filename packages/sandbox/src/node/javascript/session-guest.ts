import { BaseMismatchError, type GuestMemory } from "../../engine.ts";
import { MessageGuest } from "../../javascript/message-guest.ts";
import { NotAtRestError } from "../../reuse.ts";
import { bytesOfPages, readMemoryHead } from "../../session/memory-head.ts";
import { notAtRestFault } from "../../started-guest.ts";

/** An interpreter in a thread that hands out the memory of a session, and takes it. */
export class SessionGuest extends MessageGuest {
  restore({ base, memoryBytes, numbers, pages }: GuestMemory, held: string): Promise<void> {
    this.holds = undefined;
    return this.ask<void>((resolve, reject) => {
      this.take = ({ type, base: here }) => {
        if (type !== "restored" || typeof here !== "string") this.fail("it restored nothing");
        else if (here !== base) reject(new BaseMismatchError(here));
        else {
          this.holds = held;
          resolve();
        }
      };
      // A copy: it may be a part of something larger, all of which would be sent.
      this.thread.post(JSON.stringify({ type: "restore", base, memoryBytes, numbers, held }), Uint8Array.from(pages));
    });
  }

  capture(): Promise<GuestMemory> {
    return this.ask<GuestMemory>((resolve, reject) => {
      this.take = (message, pages) => {
        if (message.type === "not-at-rest") {
          reject(new NotAtRestError(notAtRestFault));
          this.fail(notAtRestFault);
          return;
        }
        const head = readMemoryHead(message, this.limits.memoryMb * 1024 * 1024);
        if (head && pages instanceof Uint8Array && pages.length === bytesOfPages(head)) {
          resolve({ ...head, pages, folders: [], files: [] });
        } else this.fail("it sent a memory that makes no sense");
      };
      this.thread.post('{"type":"capture"}');
    });
  }

  protected override next(): SessionGuest {
    return new SessionGuest(this.thread, this.limits, this.startTimeoutMs);
  }
}
