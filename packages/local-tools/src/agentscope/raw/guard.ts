import { inMessage } from "../../messages.ts";

/** The environment's policy on tools that reach any file. */
export type DangerousTextIo = "deny" | "warn" | "allow";

/** What a raw tool's responses carry in `metadata`, errors too. */
export interface RawMetadata extends Record<string, unknown> {
  dangerous_io: true;
  policy: DangerousTextIo;
  tool: string;
  path: string;
  blocked: boolean;
  reason: "bypass_filesystem";
  /** With `warn` and `deny`: what to look into. */
  warnings?: string[];
}

/**
 * Returns the policy of this moment: `TOOLGLOT_DANGEROUS_TEXT_IO`, or else `AGENTSCOPE_DANGEROUS_TEXT_IO`. Case and blanks don't
 * count. Default `warn`, also for a word that is none of the three.
 */
export function dangerousTextIo(env: Readonly<Record<string, string | undefined>> = process.env): DangerousTextIo {
  const asked = env.TOOLGLOT_DANGEROUS_TEXT_IO?.trim() || env.AGENTSCOPE_DANGEROUS_TEXT_IO?.trim() || "warn";
  const policy = asked.toLowerCase();
  return policy === "deny" || policy === "allow" ? policy : "warn";
}

/** Returns what the responses of a raw tool carry, `blocked` among it. */
export function guard(tool: string, path: string): RawMetadata {
  const policy = dangerousTextIo();
  const metadata: RawMetadata = {
    dangerous_io: true,
    policy,
    tool,
    path,
    blocked: policy === "deny",
    reason: "bypass_filesystem",
  };
  if (policy !== "allow") {
    const done = policy === "deny" ? "was kept from reaching" : "reached";
    const cure = "TOOLGLOT_DANGEROUS_TEXT_IO=deny forbids it, =allow takes this warning away";
    metadata.warnings = [`${tool} ${done} a file of the host past all namespaces: ${inMessage(path)} (${cure}).`];
  }
  return metadata;
}
