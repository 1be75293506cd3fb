import { createHash, createHmac, randomBytes } from "node:crypto";

// Written from the specification alone, so that routers are compared with something other than themselves.

/** RFC 8785 for JSON values. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(",")}}`;
}

/** `sha256:` and hex. */
export function digest(text: string): string {
  return `sha256:${createHash("sha256").update(text, "utf8").digest("hex")}`;
}

/** What a `$token` template says; times in seconds, relative to the router's clock. */
export interface TokenData {
  secret: string;
  cap_id: string;
  args: unknown;
  /** Default 0. */
  iat?: number;
  /** Default 300. */
  exp?: number;
  jti?: string;
  sub?: string;
  v?: number;
  /** Something wrong on purpose: `signature`, `payload`, `prefix`, `unsigned`. */
  broken?: string;
}

/** An `appr1` token. */
export function approvalToken(data: TokenData, nowMs: number): string {
  const { secret, cap_id, args, iat = 0, exp = 300, jti = `appr_${randomBytes(6).toString("hex")}`, sub, v = 1 } = data;
  const second = Math.floor(nowMs / 1000);
  const claims = { v, cap_id, args_digest: digest(canonical(args)), iat: second + iat, exp: second + exp, jti };
  let payload = Buffer.from(canonical(sub === undefined ? claims : { ...claims, sub })).toString("base64url");
  let signature = createHmac("sha256", secret).update(payload, "ascii").digest("base64url");
  if (data.broken === "signature") signature = (signature.startsWith("A") ? "B" : "A") + signature.slice(1);
  if (data.broken === "payload")
    payload = Buffer.from(canonical({ ...claims, exp: second + 9_999_999 })).toString("base64url");
  if (data.broken === "unsigned") return `appr_${randomBytes(6).toString("hex")}`;
  return `${data.broken === "prefix" ? "appr2" : "appr1"}.${payload}.${signature}`;
}

/** A UUID version 7 made `offsetMs` after `nowMs`. */
export function uuid7(nowMs: number, offsetMs: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs + offsetMs, 0, 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
