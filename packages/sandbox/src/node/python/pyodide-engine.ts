import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "@toolglot/internal";
import type { Engine, FileCodec, Guest } from "../../engine.ts";
import type { ProgramStyle, SandboxIsolation, SandboxLimits, SandboxOptions, SandboxWall } from "../../types.ts";
import { missingWall } from "../walls.ts";
import { ChildGuest, startChild } from "./child-guest.ts";
import { type EnginePackage, engineDigest, engineFiles, findPyodide } from "./engine-package.ts";
import { decodeFiles, encodeFiles } from "./files.ts";
import { decodeFrame } from "./frames.ts";
import { guestFiles } from "./guest-files.ts";
import { type Confinement, findConfinement } from "./isolation.ts";
import { defaultCacheDir, discardSnapshot, findOrBuildSnapshot, type Snapshot } from "./snapshot.ts";
import { readWheels, type Wheels } from "./wheels.ts";

/** A plain start takes 3 seconds of processor time; machines under load take many times that. */
const startTimeoutMs = 300_000;
/** Between two tries to make a snapshot that failed. */
const firstPauseMs = 500;
const maxPauseMs = 30_000;
/** What the guest's side lets a call's arguments have, and what surrounds a value in a frame. */
const maxArgumentBytes = 4 * 1024 * 1024;
/** 8 MB of files, as base64 in JSON. */
const maxFilesBytes = 12 * 1024 * 1024;
const frameOverheadBytes = 256 * 1024;
/** Added to the interpreter's memory: what the child keeps outside of it. */
const outsideMb = 128;
/** Returns the names of the libraries that a program finds. Throws `TypeError` for those that there are not. */
function resolveLibraries(
  given: SandboxOptions["libraries"] = "standard",
  style: ProgramStyle = "attp",
): readonly string[] {
  const { specification, standard, notebook } = guestFiles().libraries;
  const all = [...specification, ...standard, ...(style === "notebook" ? notebook : [])];
  if (given === "standard") return all;
  if (given === "specification") return specification;
  if (!Array.isArray(given)) {
    throw new TypeError('libraries must be "standard", "specification" or an array of names.');
  }
  const unknown = (given as readonly unknown[]).find((name) => !all.includes(name as string));
  if (unknown !== undefined) {
    throw new TypeError(`libraries: there is no ${JSON.stringify(unknown)}, there are ${all.join(", ")}.`);
  }
  return [...(given as readonly string[])];
}

/** Returns the flag that switches the permission model on, by the version of Node that runs. */
export function permissionFlag(nodeVersion: string): string {
  return Number.parseInt(nodeVersion, 10) >= 24 ? "--permission" : "--experimental-permission";
}

/** A snapshot that could not be made: why, since when, how often, and when it is tried again (by `performance.now()`). */
interface Failed {
  why: string;
  since: Date;
  times: number;
  until: number;
}

/** CPython in WebAssembly, in a child process that may read the engine's files and nothing else. */
export class PyodideEngine implements Engine {
  readonly language = "python";
  readonly concurrent = false;
  readonly label: string;
  readonly libraries: readonly string[];
  readonly files: FileCodec = { encode: encodeFiles, decode: decodeFiles };
  readonly #standard: boolean;
  readonly #chosen: readonly string[];
  readonly #wheels: Wheels;
  readonly #engine: EnginePackage;
  readonly #limits: SandboxLimits;
  readonly #cacheDir: string | undefined;
  readonly #wanted: NonNullable<SandboxOptions["isolation"]>;
  #confinement: Confinement = { isolation: "process", before: [] };
  #snapshot: Snapshot | undefined;
  #given: Failed | undefined;
  #preparing: Promise<void> | undefined;
  #notProven: readonly SandboxWall[] = [];

  /** Throws `TypeError` for a library that there is not, or a wheel that can't be had, `ToolglotError` (`sandbox/engine-missing`). */
  constructor(limits: SandboxLimits, { cacheDir, isolation = "auto", libraries, style, wheels }: SandboxOptions) {
    this.#engine = findPyodide();
    this.#wheels = readWheels(wheels, this.#engine.lockInfo);
    this.#standard = libraries === undefined || libraries === "standard";
    this.#chosen = resolveLibraries(libraries, style);
    this.libraries = this.librariesOf(style);
    this.#limits = limits;
    this.#wanted = isolation;
    this.#cacheDir = cacheDir === false ? undefined : (cacheDir ?? defaultCacheDir());
    this.label = `pyodide ${this.#engine.version}`;
  }

  librariesOf(style: ProgramStyle = "attp"): readonly string[] {
    const found = this.#standard ? resolveLibraries("standard", style) : this.#chosen;
    return style === "notebook" ? [...found, ...this.#wheels.names] : found;
  }

  /** `process` until {@link PyodideEngine.prepare} has found out. */
  get isolation(): SandboxIsolation {
    return this.#confinement.isolation;
  }

  /** What the last child found missing. */
  get missingWalls(): readonly SandboxWall[] {
    const { reason } = this.#confinement;
    return reason === undefined ? this.#notProven : [...this.#notProven, "namespace"];
  }

  get guestHash(): string {
    return guestFiles().hash;
  }

  get wheelsHash(): string {
    return this.#wheels.hash;
  }

  get warnings(): readonly string[] {
    const walls = this.missingWalls.map(missingWall);
    return this.#given === undefined ? walls : [...walls, this.#noSnapshot(this.#given)];
  }

  get snapshot(): Engine["snapshot"] {
    return this.#snapshot === undefined ? "none" : this.#snapshot.built ? "built" : "cached";
  }

  prepare(): Promise<void> {
    // The snapshot is built the way it will be used. What failed is tried again by who asks next.
    this.#preparing ??= this.#findConfinement()
      .then(() => this.#findSnapshot())
      .finally(() => {
        if (this.#snapshot === undefined) this.#preparing = undefined;
      });
    return this.#preparing;
  }

  async #findConfinement(): Promise<void> {
    if (this.#wanted === "process") return;
    this.#confinement = await findConfinement(this.#readable(undefined), process.env.PATH);
  }

  async #findSnapshot(): Promise<void> {
    const { times = 0, since = new Date(), until = 0 } = this.#given ?? {};
    if (this.#refusal !== undefined || performance.now() < until) return;
    try {
      this.#snapshot = await findOrBuildSnapshot(this.#cacheDir, await this.#snapshotName(), () =>
        this.#buildSnapshot(),
      );
      this.#given = undefined;
    } catch (error) {
      // The first time it may be a child that was killed: it is tried again at once.
      const pauseMs = times === 0 ? 0 : Math.min(firstPauseMs * 2 ** times, maxPauseMs);
      this.#given = { why: errorText(error), since, times: times + 1, until: performance.now() + pauseMs };
    }
  }

  #noSnapshot({ why, since, times }: Failed): string {
    return `The interpreter's memory can't be prepared since ${since.toISOString()} (tried ${times} times): ${why}`;
  }

  /** Drops the snapshot that a child reports it can't be started from; it is made anew. A child that dies proves nothing about the file. */
  #refused(refused: Snapshot): void {
    const snapshot = this.#snapshot;
    if (snapshot !== refused) return;
    this.#snapshot = undefined;
    this.#preparing = "path" in snapshot ? discardSnapshot(snapshot.path).then(() => this.#findSnapshot()) : undefined;
  }

  /** What is wrong with the isolation that was asked for, as far as it is known. */
  get #refusal(): string | undefined {
    if (this.#wanted === "namespace") return this.#confinement.reason;
    if (this.#wanted !== "required") return undefined;
    return this.#confinement.reason ?? (this.#notProven.map(missingWall).join("; ") || undefined);
  }

  /** Throws when no child can be isolated as it must be. */
  spawn(): Guest {
    this.#refuse();
    const snapshot = this.#snapshot;
    if (snapshot === undefined) {
      throw new Error(this.#given ? this.#noSnapshot(this.#given) : "the interpreter's memory is not prepared yet");
    }
    const { path, bytes } = "path" in snapshot ? { ...snapshot, bytes: undefined } : { ...snapshot, path: undefined };
    const from = path === undefined ? { snapshotBytes: bytes?.length } : { snapshot: path };
    const guest = new ChildGuest({
      ...this.#command(path),
      init: this.#init({ mode: "restore", ...from }),
      after: bytes,
      onRefused: () => this.#refused(snapshot),
      maxFrameBytes: Math.max(this.#limits.maxResultBytes, maxArgumentBytes, maxFilesBytes) + frameOverheadBytes,
      startTimeoutMs,
      maxMemoryBytes: this.#limits.memoryMb * 1024 * 1024,
      onWalls: (missing) => {
        this.#notProven = missing;
        this.#refuse();
      },
    });
    return guest;
  }

  #refuse(): void {
    const refusal = this.#refusal;
    if (refusal !== undefined) throw new Error(`isolation "${this.#wanted}" is not possible here: ${refusal}`);
  }

  /** Returns the files a child may read, and nothing else. */
  #readable(snapshot: string | undefined): string[] {
    const engine = engineFiles.map((name) => join(this.#engine.dir, name));
    const files = [...engine, ...guestFiles().scripts, ...this.#wheels.paths];
    return snapshot === undefined ? files : [...files, realpathSync(snapshot)];
  }

  #command(snapshot: string | undefined): { file: string; args: string[] } {
    const [file, ...args] = [...this.#confinement.before, process.execPath, ...this.#arguments(snapshot)];
    return { file: file as string, args };
  }

  #arguments(snapshot: string | undefined): string[] {
    return [
      permissionFlag(process.versions.node),
      ...this.#readable(snapshot).map((path) => `--allow-fs-read=${path}`),
      "--disallow-code-generation-from-strings",
      "--no-addons",
      "--no-warnings",
      `--max-old-space-size=${this.#heapMb}`,
      guestFiles().script,
    ];
  }

  get #heapMb(): number {
    return this.#limits.memoryMb + outsideMb;
  }

  #init(more: Record<string, unknown>): Record<string, unknown> {
    const { dir, lockInfo } = this.#engine;
    const limits = { memoryMb: this.#limits.memoryMb, heapMb: this.#heapMb };
    const { paths, names, native } = this.#wheels;
    const wheels = paths.length === 0 ? undefined : { paths, names, native };
    return { engineDir: dir, lockInfo, ...limits, wheels, ...more };
  }

  /**
   * Names what the memory depends on, so that another engine, Node or bootstrap never restores it. Where the engine lies is no part
   * of it: all projects of a user share one snapshot.
   */
  async #snapshotName(): Promise<string> {
    const { hash } = guestFiles();
    const key = createHash("sha256")
      .update([hash, await engineDigest(this.#engine.dir), process.arch, this.#wheels.hash].join("\n"))
      .digest("hex")
      .slice(0, 16);
    return `pyodide-${this.#engine.version}-node-${process.versions.node}-${key}`;
  }

  async #buildSnapshot(): Promise<Buffer> {
    const { child, fromChild, toChild } = startChild({
      ...this.#command(undefined),
      init: this.#init({ mode: "build", sources: guestFiles().sources }),
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), startTimeoutMs);
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of fromChild as AsyncIterable<Buffer>) chunks.push(chunk);
      const all = Buffer.concat(chunks);
      const end = 4 + (all.length < 4 ? 0 : all.readUInt32BE(0));
      const head = decodeFrame(all.subarray(4, end));
      const bytes = all.subarray(end);
      if (head.type === "fatal") throw new Error(String(head.message));
      if (head.type !== "snapshot" || head.bytes !== bytes.length) throw new Error("the snapshot is incomplete");
      return bytes;
    } finally {
      clearTimeout(timer);
      toChild.destroy();
      child.kill("SIGKILL");
    }
  }
}
