import { memoryStorage } from "@toolglot/core/storage";
import { randomHex } from "@toolglot/internal";
import type { SessionHost, Sessions } from "../../session/host.ts";
import { checkSessionId } from "../../session/kept.ts";
import type { SandboxSession } from "../../session/types.ts";
import { sessionError } from "./errors.ts";
import { demandNew, existsError, type Holding, holdSession } from "./holding.ts";
import { type ImageHead, packMemory } from "./image.ts";
import { OpenSession } from "./open-session.ts";
import { resolveId, resolveSession, type SessionSettings } from "./options.ts";
import { mismatchError, SessionTurns } from "./session-turns.ts";

/** Returns the sessions of a sandbox. */
export function makeSessions(host: SessionHost): Sessions {
  const own = memoryStorage();
  const made = () => {
    const { language, label, guestHash = "", wheelsHash = "" } = host.engine;
    return { format: 1, language, engine: label, guestHash, wheelsHash } as const;
  };

  async function open(settings: SessionSettings, holding: Holding): Promise<SandboxSession> {
    const { id } = holding;
    if (holding.turns.length > 0) throw existsError(id);
    const head: ImageHead = {
      ...made(),
      ...{ id, turn: 0 },
      ...{ baseHash: "", memoryBytes: 0, pages: 0, lineage: [], variables: [], folders: [], files: [], reseed: false },
      ...(settings.log && { history: [], origin: randomHex(32) }),
    };
    const packed = await packMemory({ numbers: [], pages: new Uint8Array(), files: [] });
    return new OpenSession(host, settings, holding, await SessionTurns.put(settings, holding, { head, packed }));
  }

  async function resume(settings: SessionSettings, holding: Holding): Promise<SandboxSession> {
    const { storage, limits } = settings;
    const { id } = holding;
    const stored = holding.turns.at(-1);
    if (stored === undefined) {
      if (settings.begin) return await open(settings, holding);
      throw sessionError("unknown", `The storage has no session ${id}.`, { id });
    }
    if (storage.now() - stored.at > limits.expireMs) {
      await holding.forget();
      const message = `The session ${id} was last used on ${new Date(stored.at).toISOString()}, and is gone: open a new one.`;
      throw sessionError("expired", message, { id, at: stored.at });
    }
    const image = (await holding.get(stored.turn)) ?? new Uint8Array();
    const state = SessionTurns.read(settings, image, id, stored);
    const { head } = state;
    const session = new OpenSession(host, settings, holding, state);
    const here = made();
    const field = (Object.keys(here) as (keyof typeof here)[]).find((one) => head[one] !== here[one]);
    const mismatch = field && mismatchError(id, field, head[field], here[field]);
    if (mismatch && (!settings.rebuild || field === "format" || field === "language")) throw mismatch;
    await session.prepare(mismatch);
    return session;
  }

  /** Claims the session for the work, and releases it when the work fails. */
  async function claiming(
    id: string,
    settings: SessionSettings,
    work: (settings: SessionSettings, holding: Holding) => Promise<SandboxSession>,
  ): Promise<SandboxSession> {
    host.checkTools(settings.tools);
    if (settings.log && !host.isGuarded)
      throw new TypeError("A durable session needs the guard: leave out guard: false.");
    const holding = await holdSession(settings.storage, id, settings.limits.leaseMs);
    try {
      return await work(settings, holding);
    } catch (error) {
      await holding.release();
      throw error;
    }
  }

  return {
    async openSession(options = {}) {
      const { id, ...rest } = options;
      for (const name of ["rebuild", "begin"]) {
        if (Object.hasOwn(rest, name)) throw new TypeError(`${name} is an option of resumeSession().`);
      }
      const settings = resolveSession("openSession()", rest, own);
      const wanted = resolveId(id);
      // Also of one that is open now, here or elsewhere.
      await demandNew(settings.storage, wanted);
      return await claiming(wanted, settings, open);
    },
    async resumeSession(id, options = {}) {
      checkSessionId(id);
      return await claiming(id, resolveSession("resumeSession()", options, own), resume);
    },
  };
}
