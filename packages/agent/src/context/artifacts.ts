import { type AnyTool, type ArtifactStore, type ToolDefinition, ToolError, type ToolResult } from "@toolglot/core";
import { type CallOutcome, failure } from "@toolglot/core/executing";
import type { Storage } from "@toolglot/core/storage";
import { checkKeys, isCount, isObject, textDigest } from "@toolglot/internal";
import { hash } from "../plain-json.ts";
import { artifactsFolder, artifactsOf } from "../session/run-logs.ts";

/** UTF-16 units that one read of an artifact returns at most. */
const maxRead = 20_000;

/** Metadata key of a result's artifact. */
const markKey = "toolglot/artifact";

/** An artifact, by its id, and its UTF-16 units. */
export interface ArtifactMark {
  id: string;
  length: number;
}

/** Returns the artifact that holds all of a result, if one does. */
export function artifactOf({ metadata }: ToolResult): ArtifactMark | undefined {
  const mark = metadata?.[markKey];
  return isObject(mark) && typeof mark.id === "string" && isCount(mark.length)
    ? { id: mark.id, length: mark.length }
    : undefined;
}

/** Returns a result marked with the artifact that holds all of it. */
export function withArtifact<Result extends Pick<ToolResult, "metadata">>(result: Result, mark: ArtifactMark): Result {
  return { ...result, metadata: { ...result.metadata, [markKey]: mark } };
}

/**
 * Creates a store of artifacts in memory, until they take more than `maxBytes` (2 for each UTF-16 unit); then the oldest go. Default 64 MiB.
 *
 * @example
 * ```ts
 * const artifacts: ArtifactStore = memoryArtifacts({ maxBytes: 16 * 1024 * 1024 });
 * ```
 */
export function memoryArtifacts(options: { maxBytes?: number } = {}): ArtifactStore {
  checkKeys("memoryArtifacts", options, "maxBytes:number");
  const { maxBytes = 64 * 1024 * 1024 } = options;
  if (!(maxBytes > 0)) throw new TypeError(`maxBytes must be a number above 0, not ${String(maxBytes)}.`);
  const texts = new Map<string, { text: string; runs: Set<string> }>();
  let bytes = 0;
  return {
    async put(text, { runId }) {
      const size = text.length * 2;
      if (size > maxBytes) return undefined;
      const id = await idOf(text);
      const runs = texts.get(id)?.runs ?? new Set();
      if (!texts.delete(id)) bytes += size;
      texts.set(id, { text, runs: runs.add(runId) });
      for (const [oldest, { text: old }] of texts) {
        if (bytes <= maxBytes) break;
        texts.delete(oldest);
        bytes -= old.length * 2;
      }
      return id;
    },
    read(id, { offset, length, runId }) {
      const found = texts.get(id);
      if (found === undefined || (runId !== undefined && !found.runs.has(runId))) return undefined;
      return { text: found.text.slice(offset, offset + length), total: found.text.length };
    },
  };
}

/** Creates a store of artifacts in a storage, which keeps them until `forgetRun`. */
export function storedArtifacts({ blobs }: Pick<Storage, "blobs">): ArtifactStore {
  /** Names the text that a model asks for; undefined where the id is none, or nobody has it. */
  async function nameOf(id: string, runId: string | undefined): Promise<string | undefined> {
    if (!idForm.test(id)) return undefined;
    if (runId !== undefined) return artifactsOf(runId) + id;
    for await (const name of blobs.list(artifactsFolder)) if (name.endsWith(`/${id}`)) return name;
    return undefined;
  }
  return {
    async put(text, { runId }) {
      const id = await idOf(text);
      // JSON keeps lone surrogates, too.
      await blobs.put(artifactsOf(runId) + id, new TextEncoder().encode(JSON.stringify(text)));
      return id;
    },
    async read(id, { offset, length, runId }) {
      const name = await nameOf(id, runId);
      const bytes = name === undefined ? undefined : await blobs.get(name);
      if (bytes === undefined) return undefined;
      const text = JSON.parse(new TextDecoder().decode(bytes)) as string;
      return { text: text.slice(offset, offset + length), total: text.length };
    },
  };
}

/** Resolves to an id. Pages without https have no digests: there it is a hash that is only good enough among friends. */
async function idOf(text: string): Promise<string> {
  const digest = globalThis.crypto?.subtle ? await textDigest(text) : hash(text);
  return `art_${digest.slice(0, 24)}`;
}

const idForm = /^art_[0-9a-z]{1,24}$/;

/** Definition of the tool that reads artifacts. */
export const artifactTool: ToolDefinition = {
  name: "read_artifact",
  description:
    "Reads a part of a long text that was left out of a tool's result. The id stands where the text was left out. Gives the text, the offset it begins at, and the total number of characters.",
  inputSchema: {
    type: "object",
    properties: {
      id: { type: "string", description: "As it stands where the text was left out." },
      offset: { type: "integer", minimum: 0, default: 0, description: "The first character to read." },
      length: {
        type: "integer",
        minimum: 1,
        description: `How many characters, at most ${maxRead}, which is the default.`,
      },
    },
    required: ["id"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, idempotentHint: true },
};

/** Reads an artifact for a model, `maxChars` at once. Throws what the store throws. */
export async function readArtifact(
  store: ArtifactStore,
  input: unknown,
  { runId, maxChars = maxRead }: { runId?: string | undefined; maxChars?: number },
): Promise<CallOutcome> {
  const { id, offset = 0, length = maxRead } = isObject(input) ? input : {};
  if (typeof id !== "string" || !isCount(offset) || !isCount(length)) {
    const message = "read_artifact takes { id, offset?, length? }: a text and whole numbers from 0.";
    return failure({ type: "InvalidInput", message });
  }
  // Two at least: a character outside the basic plane takes as many.
  const room = Math.max(2, Math.min(length, maxChars, maxRead));
  const piece = await store.read(id, { offset, length: room, ...(runId !== undefined && { runId }) });
  if (piece === undefined) {
    return failure({
      type: "NotFound",
      message: `There is no artifact ${JSON.stringify(id.slice(0, 100))} in this run.`,
    });
  }
  // No character is cut in two.
  const skipped = offset > 0 && /^[\udc00-\udfff]/.test(piece.text) ? 1 : 0;
  const text = piece.text.slice(skipped).replace(/[\ud800-\udbff]$/, "");
  const data = { text, offset: offset + skipped, total: piece.total };
  const outcome: CallOutcome = { status: "ok", content: [{ type: "text", text }], data };
  return withArtifact(outcome, { id, length: piece.total });
}

/**
 * Returns `read_artifact` as a tool, for programs of a sandbox, whose calls the loop does not run: agent and sandbox need the same
 * store. A call that belongs to a run reads that run's artifacts only. Throws `TypeError` for anything but a store.
 *
 * @example
 * ```ts
 * const tools = artifactTools(artifacts);
 * ```
 */
export function artifactTools(store: ArtifactStore): AnyTool[] {
  checkStore("artifactTools", store);
  return [
    {
      ...artifactTool,
      async execute(input: unknown, context: { runId?: string } = {}) {
        const { error, data } = await readArtifact(store, input, { runId: context.runId });
        if (error) throw new ToolError(error.message, { data: { type: error.type } });
        return data;
      },
    },
  ];
}

/** Throws `TypeError` for anything but a store. */
function checkStore(what: string, store: unknown): void {
  const { put, read } = (store ?? {}) as Partial<ArtifactStore>;
  if (typeof put !== "function" || typeof read !== "function") {
    throw new TypeError(`${what} must be a store { put, read }, as memoryArtifacts() gives one.`);
  }
}
