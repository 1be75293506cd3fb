import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { attempt, isObject } from "@toolglot/internal";

/** Hands out what comes back through a browser, so that no process has to remember it: all with the secret can read it. */
export interface Seals {
  /** Hides a value until the given time, milliseconds since the epoch. */
  seal(value: object, expiresAt: number): string;
  /** Returns what was sealed; undefined for what was not, was changed, or is over. */
  open(text: string): Record<string, unknown> | undefined;
  /** Signs for whom a link is. */
  ticket(whom: readonly string[], expiresAt: number): string;
  isTicketFor(ticket: string, whom: readonly string[]): boolean;
}

/** Creates seals. `secret`: of 256 bits or more. */
export function createSeals(secret: string): Seals {
  const derive = (purpose: string): Buffer => createHmac("sha256", secret).update(purpose).digest();
  const [hidingKey, signingKey] = [derive("toolglot login, sealed"), derive("toolglot login, ticket")];
  const sign = (whom: readonly string[], until: string): Buffer =>
    createHmac("sha256", signingKey)
      .update(JSON.stringify([until, ...whom]))
      .digest();
  return {
    seal(value, expiresAt) {
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", hidingKey, iv);
      const sealed = Buffer.concat([cipher.update(JSON.stringify({ value, expiresAt })), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
    },
    open(text) {
      const bytes = Buffer.from(text, "base64url");
      const opened = attempt(() => {
        const decipher = createDecipheriv("aes-256-gcm", hidingKey, bytes.subarray(0, 12), { authTagLength: 16 });
        decipher.setAuthTag(bytes.subarray(12, 28));
        return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8"));
      });
      if (!isObject(opened) || !isObject(opened.value)) return undefined;
      return typeof opened.expiresAt === "number" && opened.expiresAt > Date.now() ? opened.value : undefined;
    },
    ticket: (whom, expiresAt) => `${expiresAt}.${sign(whom, String(expiresAt)).toString("base64url")}`,
    isTicketFor(ticket, whom) {
      const [, until, signature] = /^(\d{1,15})\.([\w-]{43})$/.exec(ticket) ?? [];
      if (until === undefined || signature === undefined || Number(until) <= Date.now()) return false;
      return timingSafeEqual(Buffer.from(signature, "base64url"), sign(whom, until));
    },
  };
}
