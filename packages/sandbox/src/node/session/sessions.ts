import type { SessionHost, Sessions } from "../../session/host.ts";
import { checkSessionId } from "../../session/store.ts";
import type { SandboxSession } from "../../session/types.ts";
import { sessionError } from "./errors.ts";
import { type Holding, holdSession } from "./holding.ts";
import { type ImageHead, packMemory, readImage } from "./image.ts";
import { memorySessionStore } from "./memory-store.ts";
import { OpenSession } from "./open-session.ts";
import { resolveId, resolveSession, type SessionSettings } from "./options.ts";
import { mismatchError, SessionTurns } from "./session-turns.ts";

/** The sessions of a sandbox. */
export function makeSessions(host: SessionHost): Sessions {
  const own = memorySessionStore();
  const made = () => {
    const { language, label, guestHash = "", wheelsHash = "" } = host.engine;
    return { format: 1, language, engine: label, guestHash, wheelsHash } as const;
  };

  async function open(settings: SessionSettings, holding: Holding): Promise<SandboxSession> {
    const { id } = holding;
    if (await settings.store.head(id)) {
      const message = `There is a session ${id} already: go on with it by resumeSession(), or take another id.`;
      throw sessionError("exists", message, { id });
    }
    const head: ImageHead = {
      ...made(),
      ...{ id, turn: 0 },
      ...{ baseHash: "", memoryBytes: 0, pages: 0, lineage: [], variables: [], folders: [], files: [], reseed: false },
    };
    const packed = await packMemory({ numbers: [], pages: new Uint8Array(), files: [] });
    return new OpenSession(host, settings, holding, head, await SessionTurns.put(settings, holding, { head, packed }));
  }

  async function resume(settings: SessionSettings, holding: Holding): Promise<SandboxSession> {
    const { store, key, limits } = settings;
    const { id, fence } = holding;
    const found = await store.head(id);
    const stored = found?.turns.at(-1);
    if (stored === undefined) throw sessionError("unknown", `The store has no session ${id}.`, { id });
    if (Date.now() - stored.at > limits.expireMs) {
      await store.drop(id, fence, "all");
      const message = `The session ${id} was last used on ${new Date(stored.at).toISOString()}, and is gone: open a new one.`;
      throw sessionError("expired", message, { id, at: stored.at });
    }
    const { turn } = stored;
    const { head } = readImage((await store.get(id, turn)) ?? new Uint8Array(), { id, turn }, key);
    for (const [field, here] of Object.entries(made())) {
      const saved = head[field as keyof ImageHead];
      if (saved !== here) throw mismatchError(id, field, saved, here);
    }
    return new OpenSession(host, settings, holding, head, stored);
  }

  /** Claims the session for what is done then, and gives it free when that fails. */
  async function claiming(
    id: string,
    settings: SessionSettings,
    work: (settings: SessionSettings, holding: Holding) => Promise<SandboxSession>,
  ): Promise<SandboxSession> {
    host.checkTools(settings.tools);
    const holding = await holdSession(settings.store, id, settings.limits.leaseMs);
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
      const settings = resolveSession("openSession()", rest, own);
      return await claiming(resolveId(id), settings, open);
    },
    async resumeSession(id, options = {}) {
      checkSessionId(id);
      return await claiming(id, resolveSession("resumeSession()", options, own), resume);
    },
  };
}
