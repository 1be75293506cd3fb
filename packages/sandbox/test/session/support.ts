import type { BlobStore, Storage } from "@toolglot/core/storage";
import { expect } from "vitest";
import { createSandbox, type Sandbox, type SandboxSession, type SessionRun } from "../../src/node/index.ts";
import { holdSession } from "../../src/node/session/holding.ts";
import { keptImages, logName, readHead } from "../../src/session/kept.ts";
import { endless } from "../python/reuse/one-at-a-time.ts";

/** Creates a sandbox of a file's own whose sessions share interpreters. Programs that never end wait for `timeoutMs`. */
export function sessionSandbox(timeoutMs: number): Sandbox {
  return createSandbox({ language: "python", domain: "tests", reuse: endless, limits: { timeoutMs } });
}

/** What a program gave. */
export function outcomeOf(run: SessionRun): unknown {
  expect(run).toMatchObject({ status: "ok", state: "kept" });
  return run.status === "ok" ? run.value : undefined;
}

/** Runs a program that gives a value. */
export async function value(session: SandboxSession, code: string): Promise<unknown> {
  return outcomeOf(await session.run(code));
}

export const key: Uint8Array = new Uint8Array(32).fill(7);

/** The stored image of a turn, by default the newest. */
export async function imageOf({ logs, blobs }: Storage, id: string, turn?: number): Promise<Uint8Array> {
  const images = keptImages((await logs.read(logName(id))) ?? []);
  const image = turn === undefined ? images.at(-1) : images.find((one) => one.turn === turn);
  return (image && (await blobs.get(image.blob))) ?? new Uint8Array();
}

/** The newest turn of which there is an image. */
export async function newestTurn(storage: Storage, id: string): Promise<number> {
  return (await readHead(storage, id))?.turn ?? 0;
}

/** Stores an image as somebody does who can write to the storage. */
export async function plantImage(storage: Storage, id: string, turn: number, bytes: Uint8Array): Promise<void> {
  const holding = await holdSession(storage, id, 1000);
  const kept = holding.turns.map((one) => one.turn);
  await holding.put(turn, bytes, kept, 60_000);
  await holding.release();
}

/** A storage whose blobs are read by another function. */
export const withBlobs = (storage: Storage, blobs: Partial<BlobStore>): Storage => ({
  ...storage,
  blobs: { ...storage.blobs, ...blobs },
});
