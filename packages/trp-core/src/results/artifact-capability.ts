import { ToolError } from "@toolglot/core";
import type { Capability, ExecuteContext } from "../catalog/types.ts";
import type { RouterStore, StoredArtifact } from "../store/types.ts";
import { defaultResultBudget, tokensOf } from "./tokens.ts";

/** A part of an artifact, as the model gets it. */
export interface ArtifactPart {
  artifact_id: string;
  media_type: string;
  /** Of the whole, in bytes. */
  size: number;
  /** Where this part begins and ends, in bytes; `end` is not included. */
  offset: number;
  end: number;
  /** The next offset; null when this is the end. */
  next_offset: number | null;
  /** Of text and JSON. No character is cut in two. */
  text?: string;
  /** Of anything else. */
  base64?: string;
}

interface ReadArgs {
  artifact_id: string;
  offset?: number;
  length?: number;
}

/**
 * Returns the capability `cap.trp.artifact.read.v1`: a range of an artifact, for the principal it belongs to. Offsets are bytes;
 * of text, a range begins and ends between characters. No more comes at once than fits the budget of a result
 * (`maxResultTokens` tokens, as the shaper counts), so what is read is never cut again.
 */
export function artifactReadCapability(
  store: Pick<RouterStore, "artifacts">,
  options: { maxResultTokens?: number; countTokens?: (text: string) => number } = {},
): Capability {
  const { maxResultTokens = defaultResultBudget, countTokens } = options;
  const count = (part: ArtifactPart): number => {
    const text = JSON.stringify({ summary: summaryOf(part), data: part, artifacts: [], warnings: [] });
    return tokensOf(text, countTokens);
  };
  return {
    capId: "cap.trp.artifact.read.v1",
    name: "artifact_read",
    description:
      "Read a part of an artifact, the whole of what was too big for a result. Without length, as much as fits; go on at next_offset.",
    riskTier: "LOW",
    ioClass: "READ",
    effect: "pure",
    args: {
      type: "object",
      properties: {
        artifact_id: { type: "string", description: "As in the artifacts of a result.", minLength: 1, maxLength: 128 },
        offset: { type: "integer", description: "Bytes from the beginning.", minimum: 0, default: 0 },
        length: { type: "integer", description: "Bytes at most.", minimum: 1 },
      },
      required: ["artifact_id"],
      additionalProperties: false,
    },
    examples: [{ args: { artifact_id: "art_k3J9xQzV5bT0aYw2LmN8Pg", offset: 0 } }],
    execute: (args: Record<string, unknown>, context: ExecuteContext) =>
      readPart(store, args as unknown as ReadArgs, context, maxResultTokens, count),
    shape: (value: unknown) => ({ summary: summaryOf(value as ArtifactPart), data: value }),
  };
}

/** A UTF-8 character has at most 4 bytes. */
const margin = 4;

async function readPart(
  store: Pick<RouterStore, "artifacts">,
  { artifact_id: id, offset = 0, length }: ReadArgs,
  { principal }: ExecuteContext,
  budget: number,
  count: (part: ArtifactPart) => number,
): Promise<ArtifactPart> {
  const who = { tenant: principal.tenant, principal: principal.id };
  // A byte of JSON text is at least a byte of the artifact: more could never be shown.
  const wanted = Math.min(length ?? Number.POSITIVE_INFINITY, Math.max(budget * 8, 4_096));
  const start = Math.max(0, offset - margin);
  const found = await store.artifacts.read(id, who, { offset: start, length: wanted + (offset - start) + margin });
  if (found === undefined) {
    throw new ToolError(
      `there is no artifact ${JSON.stringify(id.slice(0, 64))}: it is unknown, expired, or not yours`,
    );
  }
  const { artifact, bytes } = found;
  if (offset > artifact.size) throw new ToolError(`offset is beyond the end: the artifact has ${artifact.size} bytes`);
  const isText = /^(?:text\/|application\/(?:json|xml|javascript)|[\w.+-]+\/[\w.+-]+\+(?:json|xml))/.test(
    artifact.mediaType,
  );
  const from = offset - start;
  const to = Math.min(bytes.length, from + wanted);
  const make = (until: number): ArtifactPart =>
    isText ? textPart(artifact, bytes, start, from, until) : binaryPart(artifact, bytes, start, from, until);
  let part = make(to);
  if (count(part) <= budget) return part;
  // The longest range that fits; a single character always comes, or a reader would never get on.
  let low = from + 1;
  let high = to;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (count(make(middle)) <= budget) low = middle;
    else high = middle - 1;
  }
  part = make(low);
  return part;
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** From the first character that begins in the range, to the last one that ends in it; at least one character. */
function textPart(artifact: StoredArtifact, bytes: Uint8Array, start: number, from: number, to: number): ArtifactPart {
  let first = from;
  while (first > 0 && from - first < margin && isContinuation(bytes[first])) first--;
  if (first < from && !isContinuation(bytes[first]) && first + characterLength(bytes[first]) <= from) first = from;
  let end = to;
  while (end > first && to - end < margin && isContinuation(bytes[end])) end--;
  if (end <= first && first < bytes.length) end = Math.min(bytes.length, first + characterLength(bytes[first]));
  const text = decoder.decode(bytes.subarray(first, end));
  return { ...facts(artifact, start + first, start + end), text };
}

// A byte order mark is a character like others: parts put together give the whole.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function characterLength(byte = 0): number {
  return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
}

function binaryPart(
  artifact: StoredArtifact,
  bytes: Uint8Array,
  start: number,
  from: number,
  to: number,
): ArtifactPart {
  let binary = "";
  for (const byte of bytes.subarray(from, to)) binary += String.fromCharCode(byte);
  return { ...facts(artifact, start + from, start + to), base64: btoa(binary) };
}

function facts(artifact: StoredArtifact, offset: number, end: number): ArtifactPart {
  return {
    artifact_id: artifact.id,
    media_type: artifact.mediaType,
    size: artifact.size,
    offset,
    end,
    next_offset: end < artifact.size ? end : null,
  };
}

function summaryOf({ offset, end, size }: ArtifactPart): string {
  return `bytes ${offset} to ${end} of ${size}`;
}
