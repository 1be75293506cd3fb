import { createHash, randomBytes } from "node:crypto";
import { canonicalJson } from "@toolglot/internal";
import type { SandboxLanguage } from "@toolglot/sandbox";
import type { Principal } from "@toolglot/trp-core";

/** Names a run of a program to the principal who started it. */
export interface ProgramReceipt {
  language: SandboxLanguage;
  /** Of the program's text. */
  digest: string;
  nonce: string;
}

const pattern = /^program\.(javascript|python)\.([\w-]{43})\.([\w-]{16})$/;

/** A receipt for a new run. */
export function newReceipt(language: SandboxLanguage, code: string): string {
  const digest = createHash("sha256").update(code).digest("base64url");
  return `program.${language}.${digest}.${randomBytes(12).toString("base64url")}`;
}

/** Undefined for what is no receipt of a program. */
export function readReceipt(receipt: string): ProgramReceipt | undefined {
  const [, language, digest, nonce] = pattern.exec(receipt) ?? [];
  if (digest === undefined || nonce === undefined) return undefined;
  return { language: language as SandboxLanguage, digest, nonce };
}

/**
 * Names the run in the store. The principal is part of the name: another one's receipt leads to nothing.
 */
export function runId(receipt: string, who: Principal): string {
  return `gateway:${hash([who.tenant, who.id, receipt])}`;
}

/** Names a program of a principal, whichever run. */
export function placeOf(receipt: string, who: Principal): string {
  const { language, digest } = readReceipt(receipt) ?? {};
  return hash([who.tenant, who.id, language, digest]);
}

function hash(parts: unknown): string {
  return createHash("sha256").update(canonicalJson(parts)).digest("hex");
}
