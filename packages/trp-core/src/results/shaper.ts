import type { JsonValue } from "@toolglot/core";
import { cutText } from "@toolglot/core/results";
import { andThen, ignoreRejection } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import type { RegisteredCapability } from "../catalog/types.ts";
import { randomId } from "../digest/ids.ts";
import { sha256Hex } from "../digest/sha256.ts";
import type { ArtifactRef, ShapedResult } from "../frames/results.ts";
import type { Principal } from "../identity/types.ts";
import type { RouterStore } from "../store/types.ts";
import { type Cut, fitJson } from "./fit.ts";
import { mediaTypeOf } from "./media-type.ts";
import { toSafeJson } from "./safe-json.ts";
import { shortLine, summaryOf } from "./summary.ts";
import { bytesPerToken, defaultResultBudget, tokensOf } from "./tokens.ts";

/** Makes a result small enough for a model. */
export interface ResultShaper {
  /**
   * Never throws, never rejects; what JSON can't express is named in `warnings`. The result shares nothing with the
   * value. A promise only when something of it must be stored.
   */
  shape(capability: RegisteredCapability, value: unknown, principal: Principal): MaybePromise<ShapedResult>;
}

/** Options of {@link createResultShaper}. */
export interface ResultShaperOptions {
  /** Where what is too big goes. */
  store: Pick<RouterStore, "artifacts" | "now">;
  /** Tokens of a whole result as JSON text. Default 2,000, at least 200. */
  maxTokens?: number;
  /** Default: 4 UTF-8 bytes are a token. */
  countTokens?: (text: string) => number;
  /** Milliseconds. Default 24 h. */
  artifactTtlMs?: number;
}

const maxSummary = 400;
const maxWarnings = 12;
const maxCutsNamed = 6;
const maxCutArtifacts = 3;
const maxBinaries = 8;
const maxArtifactBytes = 16 * 1024 * 1024;

/**
 * Makes results small enough for a model (TRP v0.1 draft, 13). Whatever a capability gave becomes JSON; what that changes
 * is named in `warnings`. A result within the budget stays whole. Otherwise its data is cut by {@link fitJson}, each cut
 * is named with its JSON pointer, and what was cut is kept whole as artifacts (up to three parts, else the data as one),
 * for the principal alone. Bytes always become artifacts, with `{ "artifact_id": … }` in their place. Artifacts over
 * 16 MiB, and those the store does not take, are named in `warnings` instead.
 *
 * `TypeError` for a budget below 200.
 */
export function createResultShaper(options: ResultShaperOptions): ResultShaper {
  const { maxTokens = defaultResultBudget, artifactTtlMs = 24 * 3_600_000 } = options;
  if (!Number.isSafeInteger(maxTokens) || maxTokens < 200) {
    throw new TypeError(`the result budget must be a whole number of tokens from 200, not ${maxTokens}`);
  }
  if (!Number.isSafeInteger(artifactTtlMs) || artifactTtlMs < 1) {
    throw new TypeError(`artifactTtlMs must be a whole number of milliseconds from 1, not ${artifactTtlMs}`);
  }
  const shaper = new Shaper({ ...options, maxTokens, artifactTtlMs });
  return { shape: (capability, value, principal) => shaper.shape(capability, value, principal) };
}

interface Picked {
  summary: string | undefined;
  data: unknown;
  warnings: string[];
}

/** An artifact that is to be stored, and its reference. */
interface Planned {
  ref: ArtifactRef;
  bytes: Uint8Array;
}

class Shaper {
  readonly #store: ResultShaperOptions["store"];
  readonly #maxTokens: number;
  readonly #countTokens: ((text: string) => number) | undefined;
  readonly #artifactTtlMs: number;

  constructor(options: ResultShaperOptions & { maxTokens: number; artifactTtlMs: number }) {
    this.#store = options.store;
    this.#maxTokens = options.maxTokens;
    this.#countTokens = options.countTokens;
    this.#artifactTtlMs = options.artifactTtlMs;
  }

  shape(capability: RegisteredCapability, value: unknown, principal: Principal): MaybePromise<ShapedResult> {
    try {
      const { summary, data: picked, warnings } = pick(capability, value);
      const safe = toSafeJson(picked);
      warnings.push(...safe.notes);
      const stored = safe.binaries.length === 0 ? [] : this.#storeBinaries(safe.binaries, warnings, principal);
      const shaped = andThen(stored, (artifacts) => {
        const { data } = safe;
        const result = { summary: summary ?? summaryOf(data), data, artifacts, warnings };
        if (this.#surelyFits(result, safe.bytesAtMost) || this.#fits(result)) return result;
        return this.#cut(result, principal);
      });
      return shaped instanceof Promise ? shaped.catch(notShown) : shaped;
    } catch {
      return notShown();
    }
  }

  /** Without looking at every character: for the small results that most are. */
  #surelyFits({ summary, artifacts, warnings }: ShapedResult, dataBytes: number): boolean {
    if (this.#countTokens !== undefined || artifacts.length > 0 || warnings.length > 0) return false;
    return dataBytes + 6 * summary.length + 64 <= this.#maxTokens * bytesPerToken;
  }

  #fits(result: ShapedResult): boolean {
    return this.#count(JSON.stringify(result)) <= this.#maxTokens;
  }

  #count(text: string): number {
    return tokensOf(text, this.#countTokens);
  }

  async #storeBinaries(
    binaries: ReturnType<typeof toSafeJson>["binaries"],
    warnings: string[],
    principal: Principal,
  ): Promise<ArtifactRef[]> {
    const most = Math.max(1, Math.min(maxBinaries, Math.floor(this.#maxTokens / 250)));
    const stored: ArtifactRef[] = [];
    for (const { bytes, path, place } of binaries.slice(0, most)) {
      const planned = this.#plan(bytes, mediaTypeOf(bytes), path);
      const problem = await this.#put(planned, principal);
      if (problem === undefined) {
        place({ artifact_id: planned.ref.artifact_id });
        stored.push(planned.ref);
      } else warnings.push(`${path || "data"}: ${bytes.length} bytes, ${problem}`);
    }
    if (binaries.length > most) warnings.push(`${binaries.length - most} more binary values were not kept`);
    return stored;
  }

  /** Over the budget: makes the data smaller until all of it fits, the notes about the cuts included. */
  async #cut(whole: ShapedResult, principal: Principal): Promise<ShapedResult> {
    const summary = shortLine(whole.summary, maxSummary) || "done";
    const own = limitWarnings(whole.warnings);
    let room = this.#maxTokens * bytesPerToken;
    for (let round = 0; round < 40 && room > 8; round++) {
      const fitted = fitJson(whole.data, room);
      const planned = this.#planCuts(fitted.cuts, whole.data);
      const result: ShapedResult = {
        summary,
        data: fitted.data,
        artifacts: [...whole.artifacts, ...planned.map(({ ref }) => ref)],
        warnings: [...own, ...cutWarnings(fitted.cuts)],
      };
      const counted = this.#count(JSON.stringify(result));
      if (counted <= this.#maxTokens) {
        await this.#storeCuts(result, planned, principal);
        // Another number in an artifact's expiry may be another token.
        if (this.#fits(result)) return result;
      }
      room = Math.min(room - 16, Math.floor(room * Math.max(0.5, Math.min(0.97, this.#maxTokens / counted))));
    }
    return this.#smallest({ ...whole, summary, warnings: own }, principal);
  }

  /** Without data; and without one thing after another, until it fits. */
  async #smallest({ summary, data, artifacts, warnings }: ShapedResult, principal: Principal): Promise<ShapedResult> {
    const planned = this.#planCuts([{ path: "", kept: "left out as a whole", original: data }], data);
    const refs = [...artifacts, ...planned.map(({ ref }) => ref)];
    const leftOut = ["data: left out as a whole, it is too big"];
    const tries: ShapedResult[] = [
      { summary, data: null, artifacts: refs, warnings: [...warnings, ...leftOut] },
      { summary, data: null, artifacts: refs, warnings: leftOut },
      { summary: cutText(summary, 80), data: null, artifacts: refs.slice(-1), warnings: leftOut },
      { summary: cutText(summary, 40), data: null, artifacts: [], warnings: leftOut },
      { summary: "too big", data: null, artifacts: [], warnings: [] },
    ];
    for (const result of tries) {
      if (!this.#fits(result)) continue;
      await this.#storeCuts(result, planned, principal);
      if (this.#fits(result)) return result;
    }
    return { summary: "", data: null, artifacts: [], warnings: [] };
  }

  /** Returns what is to be kept of what was cut: parts within other parts are not kept twice. */
  #planCuts(cuts: readonly Cut[], data: JsonValue): Planned[] {
    if (cuts.length === 0) return [];
    const outer = cuts.filter(({ path }) => !cuts.some((other) => other.path !== path && isInside(path, other.path)));
    const parts = outer.length > maxCutArtifacts ? [{ path: "", original: data }] : outer;
    return parts.map(({ path, original }) => {
      const isText = typeof original === "string";
      const bytes = new TextEncoder().encode(isText ? original : JSON.stringify(original));
      return this.#plan(bytes, isText ? "text/plain; charset=utf-8" : "application/json", path);
    });
  }

  #plan(bytes: Uint8Array, mediaType: string, path: string): Planned {
    const ref: ArtifactRef = {
      artifact_id: randomId("art"),
      media_type: mediaType,
      size: bytes.length,
      sha256: sha256Hex(bytes),
      expires_at_ms: this.#store.now() + this.#artifactTtlMs,
    };
    if (path !== "") ref.path = path;
    return { ref, bytes };
  }

  /** Stores what the result refers to. What can't be stored is no longer referred to, and named. */
  async #storeCuts(result: ShapedResult, planned: readonly Planned[], principal: Principal): Promise<void> {
    for (const part of planned) {
      if (!result.artifacts.includes(part.ref)) continue;
      const problem = await this.#put(part, principal);
      if (problem === undefined) continue;
      result.artifacts = result.artifacts.filter((ref) => ref !== part.ref);
      result.warnings.push(`${part.ref.path ?? "data"}: the whole is ${problem}`);
    }
  }

  /** Undefined when all is well. */
  async #put({ ref, bytes }: Planned, principal: Principal): Promise<string | undefined> {
    if (bytes.length > maxArtifactBytes) return "too big to be kept";
    try {
      const stored = await this.#store.artifacts.put({
        id: ref.artifact_id,
        tenant: principal.tenant,
        principal: principal.id,
        mediaType: ref.media_type,
        sha256: ref.sha256,
        bytes,
        ttlMs: this.#artifactTtlMs,
      });
      ref.expires_at_ms = stored.expiresAt;
      return undefined;
    } catch {
      return "not kept: the store did not take it";
    }
  }
}

/** Something went wrong while a result was made small. */
function notShown(): ShapedResult {
  return { summary: "done", data: null, artifacts: [], warnings: ["the result could not be shown"] };
}

/** Returns the capability's own summary of a result; its `shape` must not be able to break a call that succeeded. */
function pick({ definition }: RegisteredCapability, value: unknown): Picked {
  if (definition.shape === undefined) return { summary: undefined, data: value, warnings: [] };
  try {
    const shaped = definition.shape(value);
    ignoreRejection(shaped);
    const { summary, data, warnings = [] } = shaped;
    if (typeof summary === "string" && Array.isArray(warnings)) {
      const texts = warnings.filter((warning) => typeof warning === "string" && warning !== "");
      return { summary: shortLine(summary, maxSummary), data, warnings: texts.map((text) => shortLine(text, 200)) };
    }
  } catch {
    // As if it had none.
  }
  return { summary: undefined, data: value, warnings: ["the capability's own summary failed"] };
}

function limitWarnings(warnings: readonly string[]): string[] {
  const kept = warnings.slice(0, maxWarnings).map((warning) => shortLine(warning, 200));
  if (warnings.length > kept.length) kept.push(`and ${warnings.length - kept.length} more warnings`);
  return kept;
}

function cutWarnings(cuts: readonly Cut[]): string[] {
  const named = cuts.slice(0, maxCutsNamed).map(({ path, kept }) => `${shortPath(path)}: ${kept}`);
  if (cuts.length > named.length) named.push(`and ${cuts.length - named.length} more parts were cut`);
  return named;
}

function shortPath(path: string): string {
  if (path === "") return "data";
  return path.length > 160 ? `${cutText(path, 159)}…` : path;
}

function isInside(path: string, outer: string): boolean {
  return outer === "" || path.startsWith(`${outer}/`);
}
