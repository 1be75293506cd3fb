import { afterEach, expect, it, vi } from "vitest";
import { type Keyring, keychainStore, openKeychain } from "../src/store/keychain-store.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** A keychain in memory. `change`: what it does otherwise. */
function keyring(change: Partial<InstanceType<Keyring["AsyncEntry"]>> = {}) {
  const kept = new Map<string, string>();
  class AsyncEntry {
    readonly #key: string;
    constructor(service: string, account: string) {
      this.#key = `${service} ${account}`;
      Object.assign(this, change);
    }
    async setPassword(password: string): Promise<void> {
      kept.set(this.#key, password);
    }
    async getPassword(): Promise<string | null> {
      return kept.get(this.#key) ?? null;
    }
    async deletePassword(): Promise<boolean> {
      return kept.delete(this.#key);
    }
  }
  const findCredentialsAsync = async (service: string) =>
    [...kept]
      .filter(([key]) => key.startsWith(`${service} `))
      .map(([key, password]) => ({ account: key.slice(service.length + 1), password }));
  return { kept, AsyncEntry, findCredentialsAsync };
}

it("should keep values by scope and name, and leave no probe", async () => {
  const ring = keyring();
  const store = await openKeychain(ring, "toolglot");
  expect(ring.kept.size).toBe(0);
  await store.set("TOKEN", "/a project", { value: 'a "value"\n', note: "mine" });
  expect([...ring.kept.keys()]).toEqual(['toolglot ["/a project","TOKEN"]']);
  ring.kept.set("toolglot something else", "x");
  expect(await store.list()).toEqual([{ name: "TOKEN", scope: "/a project", at: expect.any(Number) }]);
  expect(await store.get("TOKEN", "/a project")).toEqual({ value: 'a "value"\n', note: "mine" });
  expect(await store.get("TOKEN", "*")).toBe(undefined);
  expect(await store.remove("TOKEN", "/a project")).toBe(true);
  expect(await store.remove("TOKEN", "/a project")).toBe(false);
});

it("should refuse what Windows would not keep, and name the file store", async () => {
  const store = await openKeychain(keyring(), "toolglot");
  const error = await store.set("TOKEN", "*", { value: "x".repeat(2000) }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TypeError);
  expect((error as Error).message).toContain("fileStore()");
  expect((error as Error).message).not.toContain("xxx");
});

it("should be unavailable where the keychain refuses, loses what it is given, or hangs", async () => {
  const unavailable = { code: "secrets/keychain-unavailable" };
  const denied = keyring({ setPassword: () => Promise.reject(new Error("AccessDenied")) });
  await expect(openKeychain(denied, "toolglot")).rejects.toMatchObject(unavailable);
  await expect(openKeychain(keyring({ getPassword: async () => null }), "toolglot")).rejects.toMatchObject(unavailable);
  vi.useFakeTimers();
  const hanging = openKeychain(keyring({ setPassword: () => new Promise(() => {}) }), "toolglot");
  const refused = expect(hanging).rejects.toMatchObject(unavailable);
  await vi.advanceTimersByTimeAsync(3000);
  await refused;
});

it("should refuse a misspelt option", async () => {
  await expect(keychainStore({ services: "x" } as never)).rejects.toThrow(TypeError);
});
