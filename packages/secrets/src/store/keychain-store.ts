import { randomBytes } from "node:crypto";
import { ToolglotError } from "@toolglot/core";
import { attempt, checkKeys, isObject, settleWithin, unsettled } from "@toolglot/internal";
import { checkName, checkValue, isName } from "../name-and-value.ts";
import type { SecretStore } from "../types.ts";

/** What is used of `@napi-rs/keyring`, an optional peer. */
export interface Keyring {
  AsyncEntry: new (
    service: string,
    account: string,
    options?: object,
  ) => {
    setPassword(password: string): Promise<void>;
    getPassword(): Promise<string | null>;
    deletePassword(): Promise<boolean>;
  };
  findCredentialsAsync(service: string): Promise<{ account: string; password: string }[]>;
}

/** A keychain that needs longer for the first three calls waits for something that won't come. */
const probeMs = 3000;
/** Windows keeps no more. */
const maxBytes = 2000;
/** The kernel's own keyring, to which the module falls back on Linux, forgets at log-out. */
const entryOptions = { linux: { store: "secret-service" } };
// Not a literal, so that compilers and bundlers don't look for a peer that may not be there.
const peer: string = "@napi-rs/keyring";

/**
 * Opens a store in the system's keychain, with the optional peer `@napi-rs/keyring`. Writes, reads and removes a probe first.
 *
 * @example
 * ```ts
 * const secrets = await openSecrets({ store: await keychainStore({ service: "my-agent" }) });
 * ```
 *
 * @throws `secrets/keychain-unavailable` when the peer is not there, the keychain refuses, or does not answer within 3 seconds.
 */
export async function keychainStore(options: { service?: string } = {}): Promise<SecretStore> {
  checkKeys("keychainStore", options, "service:text");
  const { service = "toolglot" } = options;
  let keyring: Keyring;
  try {
    keyring = (await import(peer)) as Keyring;
  } catch (error) {
    throw unavailable("the package @napi-rs/keyring is not installed, or does not run here", error);
  }
  return await openKeychain(keyring, service);
}

/** Opens {@link keychainStore} with the peer given. */
export async function openKeychain(keyring: Keyring, service: string): Promise<SecretStore> {
  const probed = await settleWithin(probe(keyring, service), { ms: probeMs }).catch((error: unknown) => {
    throw unavailable("it refused a probe", error);
  });
  if (probed === unsettled) throw unavailable(`it did not answer within ${probeMs / 1000} seconds`);
  return new KeychainStore(keyring, service);
}

async function probe(keyring: Keyring, service: string): Promise<void> {
  const text = randomBytes(12).toString("hex");
  const entry = new keyring.AsyncEntry(`${service}-probe`, text, entryOptions);
  await entry.setPassword(text);
  const read = await entry.getPassword();
  await entry.deletePassword();
  if (read !== text) throw new Error("another text came back");
}

class KeychainStore implements SecretStore {
  readonly kind = "keychain";
  readonly #keyring: Keyring;
  readonly #service: string;

  constructor(keyring: Keyring, service: string) {
    this.#keyring = keyring;
    this.#service = service;
  }

  async list(): Promise<{ name: string; scope: string; at: number }[]> {
    const found = await this.#keyring.findCredentialsAsync(this.#service);
    return found.flatMap(({ account, password }) => {
      const about = attempt(() => JSON.parse(account) as unknown);
      const [scope, name] = Array.isArray(about) ? (about as unknown[]) : [];
      const at = readEntry(password)?.at;
      return typeof scope === "string" && isName(name) && at !== undefined ? [{ name, scope, at }] : [];
    });
  }

  async get(name: string, scope: string): Promise<{ value: string; note?: string } | undefined> {
    const password = await this.#entry(name, scope).getPassword();
    const entry = readEntry(password ?? "");
    if (entry === undefined) return undefined;
    const { value, note } = entry;
    return note === undefined ? { value } : { value, note };
  }

  async set(name: string, scope: string, { value, note }: { value: string; note?: string }): Promise<void> {
    checkName(name);
    checkValue(value);
    const password = JSON.stringify({ value, note, at: Date.now() });
    if (Buffer.byteLength(password) > maxBytes) {
      throw new TypeError(
        `the value of ${name} is too long for a keychain (${maxBytes} bytes); keep it with fileStore()`,
      );
    }
    await this.#entry(name, scope).setPassword(password);
  }

  async remove(name: string, scope: string): Promise<boolean> {
    const entry = this.#entry(name, scope);
    if ((await entry.getPassword()) === null) return false;
    return await entry.deletePassword();
  }

  #entry(name: string, scope: string): InstanceType<Keyring["AsyncEntry"]> {
    return new this.#keyring.AsyncEntry(this.#service, JSON.stringify([scope, name]), entryOptions);
  }
}

function readEntry(password: string): { value: string; note?: string; at: number } | undefined {
  const entry = attempt(() => JSON.parse(password) as unknown);
  if (!isObject(entry) || typeof entry.value !== "string" || typeof entry.at !== "number") return undefined;
  const { value, note, at } = entry;
  return typeof note === "string" ? { value, note, at } : { value, at };
}

function unavailable(why: string, cause?: unknown): ToolglotError {
  return new ToolglotError("secrets/keychain-unavailable", `The system's keychain can't be used: ${why}.`, {
    cause,
  });
}
