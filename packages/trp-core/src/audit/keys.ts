import type { CheckpointSigner, CheckpointVerifier } from "./types.ts";

const algorithm = "Ed25519";

/**
 * Creates a pair of Ed25519 keys for checkpoints of the audit log, as PEM texts (PKCS #8 and SPKI, which `openssl`
 * reads, too). Keep the private key where only the router can read it.
 *
 * @example
 * ```ts
 * const { privateKey, publicKey } = await createCheckpointKeys();
 * const router = createRouter({ store, checkpoints: { signer: await checkpointSigner(privateKey) } });
 * const report = await router.audit.verify({ keys: [await checkpointVerifier(publicKey)] });
 * ```
 */
export async function createCheckpointKeys(): Promise<{ privateKey: string; publicKey: string }> {
  const pair = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const [secret, open] = await Promise.all([
    crypto.subtle.exportKey("pkcs8", pair.privateKey),
    crypto.subtle.exportKey("spki", pair.publicKey),
  ]);
  return { privateKey: toPem("PRIVATE KEY", secret), publicKey: toPem("PUBLIC KEY", open) };
}

/**
 * Creates a signer that signs checkpoints with an Ed25519 key in this process, through WebCrypto. `privateKey`: PEM
 * (PKCS #8). Rejects with `TypeError` when it is not such a key.
 */
export async function checkpointSigner(privateKey: string): Promise<CheckpointSigner> {
  const secret = await importKey("pkcs8", "PRIVATE KEY", privateKey, "sign");
  const { x = "" } = await crypto.subtle.exportKey("jwk", secret);
  return {
    key: x,
    sign: async (bytes) => new Uint8Array(await crypto.subtle.sign(algorithm, secret, new Uint8Array(bytes))),
  };
}

/**
 * Creates a verifier for the signatures of {@link checkpointSigner}. `publicKey`: PEM (SPKI). Rejects with `TypeError`
 * when it is not such a key.
 */
export async function checkpointVerifier(publicKey: string): Promise<CheckpointVerifier> {
  const open = await importKey("spki", "PUBLIC KEY", publicKey, "verify");
  const { x = "" } = await crypto.subtle.exportKey("jwk", open);
  return {
    key: x,
    verify: (bytes, signature) =>
      crypto.subtle.verify(algorithm, open, new Uint8Array(signature), new Uint8Array(bytes)),
  };
}

async function importKey(format: "pkcs8" | "spki", label: string, pem: string, use: KeyUsage): Promise<CryptoKey> {
  const text = new RegExp(`-----BEGIN ${label}-----([A-Za-z0-9+/=\\s]+)-----END ${label}-----`).exec(String(pem))?.[1];
  try {
    const bytes = Uint8Array.from(atob((text ?? "?").replace(/\s/g, "")), (letter) => letter.charCodeAt(0));
    // Extractable, because the public half names the key, and both kinds of keys contain it.
    return await crypto.subtle.importKey(format, bytes, algorithm, true, [use]);
  } catch (cause) {
    throw new TypeError(`a checkpoint key must be Ed25519, as PEM: -----BEGIN ${label}-----`, { cause });
  }
}

function toPem(label: string, bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----\n`;
}
