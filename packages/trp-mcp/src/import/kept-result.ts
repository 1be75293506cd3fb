import { createHash } from "node:crypto";
import type { JsonObject } from "@toolglot/core";
import { isJson, isObject, randomHex } from "@toolglot/internal";
import type { McpCallResult } from "@toolglot/toolkit";
import type { Principal, Router } from "@toolglot/trp-core";

/** Bytes of a result, as JSON. */
export interface ResultLimits {
  /** A longer one is not passed on. Default 4 MiB. */
  maxBytes: number;
  /** Of a longer one the first text is kept for replays, and a link to the whole. Default 1 MiB. */
  keepBytes: number;
}

/** Member of `_meta` of a result that stands in for one that was not passed on: the code of a router's fault. */
export const codeMeta = "toolglot/code";

/** What a capability returns for an answer: `data` is kept, and is what a repeated call gets. */
export class Settled {
  readonly summary: string;
  readonly data: JsonObject;

  constructor(data: McpCallResult) {
    this.summary = summaryOf(data);
    this.data = data as JsonObject;
  }
}

/** What becomes of an answer: what the client gets now, and what is kept of it. */
export interface Divided {
  now: McpCallResult;
  kept: Settled;
}

/** How long the whole of a long result can be read. */
const artifactMs = 86_400_000;
/** Characters of the first text that are kept of a long result. */
const firstCharacters = 16_000;

/**
 * Returns what is passed on and what is kept of an answer that came. One that is too long, or nested so deeply that it can't be written, is
 * replaced by an error with the code `TRP_2008`: the tool has run. Without a keeper nothing is kept.
 */
export async function divide(
  result: McpCallResult,
  { maxBytes, keepBytes }: ResultLimits,
  keeper: { router: Pick<Router, "store">; principal: Principal } | undefined,
): Promise<Divided> {
  const text = textOf(result);
  const size = text === undefined ? 0 : Buffer.byteLength(text);
  if (text === undefined || size > maxBytes) {
    const why = text === undefined ? "is nested too deeply" : `has ${size} bytes, and at most ${maxBytes} are taken`;
    const now = notPassedOn(why);
    return { now, kept: new Settled(now) };
  }
  if (keeper === undefined) return { now: result, kept: new Settled({ content: [] }) };
  // A store takes no deeper ones.
  if (size <= keepBytes && isJson(result)) return { now: result, kept: new Settled(result) };
  const { router, principal } = keeper;
  const bytes = new TextEncoder().encode(text);
  const id = `art_${randomHex(16)}`;
  const link = await router.store.artifacts
    .put({
      id,
      tenant: principal.tenant,
      principal: principal.id,
      mediaType: "application/json",
      sha256: createHash("sha256").update(bytes).digest("hex"),
      bytes,
      ttlMs: artifactMs,
    })
    .then(
      (): JsonObject => ({
        type: "resource_link",
        uri: `toolglot://artifact/${id}`,
        name: "The whole result",
        mimeType: "application/json",
        size,
      }),
      // The tool has run, whatever becomes of its result.
      (): JsonObject => ({ type: "text", text: `[The whole result, ${size} bytes, could not be kept.]` }),
    );
  const first = firstText(result).slice(0, firstCharacters);
  const content = [...(first === "" ? [] : [{ type: "text", text: first }]), link as { type: string }];
  return { now: result, kept: new Settled({ content }) };
}

/** Undefined for what is nested so deeply that it can't be written. */
function textOf(result: McpCallResult): string | undefined {
  try {
    return JSON.stringify(result);
  } catch {
    return undefined;
  }
}

function notPassedOn(why: string): McpCallResult {
  const text =
    `The tool ran, and its result is not passed on: it ${why}. ` +
    "Don't repeat the call. Ask for less at once, if the tool has a way to.";
  return { content: [{ type: "text", text }], isError: true, _meta: { [codeMeta]: "TRP_2008" } };
}

/** Whether it stands in for a result that was not passed on. */
export function isTooLarge({ _meta }: McpCallResult): boolean {
  return isObject(_meta) && _meta[codeMeta] === "TRP_2008";
}

/** Returns an answer without what only we may say in its `_meta`. */
export function withoutOurs(result: McpCallResult): McpCallResult {
  const { _meta } = result;
  if (!isObject(_meta) || !Object.keys(_meta).some(isOurs)) return result;
  return { ...result, _meta: Object.fromEntries(Object.entries(_meta).filter(([key]) => !isOurs(key))) };
}

const isOurs = (key: string): boolean => key.startsWith("toolglot/");

/** The first block of text; empty without one. */
export function firstText({ content }: McpCallResult): string {
  const block = content?.find(({ type }) => type === "text") as { text?: unknown } | undefined;
  return typeof block?.text === "string" ? block.text : "";
}

function summaryOf(result: McpCallResult): string {
  return firstText(result).trim().slice(0, 200) || "done";
}
