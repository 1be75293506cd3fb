import { createCipheriv, createDecipheriv, createHmac, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import type { KeyDerivation, SealedEntry } from "./vault-file.ts";

/** What encrypts and decrypts the entries of one file, while the process runs. */
export interface VaultKey {
  readonly entries: Buffer;
  /** What the file holds to distinguish a wrong passphrase from a damaged entry. */
  readonly check: string;
}

/** Takes a few tenths of a second and 128 MiB, on purpose. */
export async function deriveKey(passphrase: string, { N, r, p, salt }: KeyDerivation): Promise<VaultKey> {
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    const options = { N, r, p, maxmem: 256 * N * r };
    scrypt(passphrase.normalize("NFC"), Buffer.from(salt, "base64"), 64, options, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
  const check = createHmac("sha256", bytes.subarray(32)).update("toolglot secrets 1").digest("base64");
  return { entries: bytes.subarray(0, 32), check };
}

export function isRightKey(key: VaultKey, check: string): boolean {
  const [one, other] = [Buffer.from(key.check), Buffer.from(check)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** So that a file does not show how long a value is. */
const block = 64;

/** Encrypts an entry with a fresh IV. */
export function seal(
  key: VaultKey,
  about: { name: string; scope: string; at: number },
  entry: { value: string; note?: string | undefined },
): SealedEntry {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key.entries, iv);
  cipher.setAAD(boundTo(about));
  const plain = Buffer.from(JSON.stringify(entry));
  // Blanks behind JSON are JSON.
  const padded = Buffer.concat([plain, Buffer.alloc(-plain.length & (block - 1), " ")]);
  const data = Buffer.concat([cipher.update(padded), cipher.final()]);
  const text = (bytes: Buffer): string => bytes.toString("base64");
  return { ...about, iv: text(iv), data: text(data), tag: text(cipher.getAuthTag()) };
}

/** Decrypts an entry. Throws when it was changed, or is not that of this name, scope and time. */
export function unseal(key: VaultKey, sealed: SealedEntry): { value: string; note?: string } {
  const bytes = (text: string): Buffer => Buffer.from(text, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key.entries, bytes(sealed.iv), { authTagLength: 16 });
  decipher.setAAD(boundTo(sealed));
  decipher.setAuthTag(bytes(sealed.tag));
  const plain = Buffer.concat([decipher.update(bytes(sealed.data)), decipher.final()]);
  const { value, note } = JSON.parse(plain.toString("utf8")) as { value: string; note?: string };
  return note === undefined ? { value } : { value, note };
}

/** Returns what an entry can't be moved away from. */
function boundTo({ name, scope, at }: { name: string; scope: string; at: number }): Buffer {
  return Buffer.from(JSON.stringify([1, name, scope, at]));
}
