import { MemoryStore, type MemoryStoreOptions } from "../src/store/memory-store.ts";
import type { RouterStore } from "../src/store/types.ts";

type Open = (options: Pick<MemoryStoreOptions, "now">) => Promise<RouterStore>;

const inMemory: Open = async (options) => new MemoryStore(options);
let current = inMemory;

/** An empty store for a test that names none: in memory, unless its file runs on every store. Call it inside a test. */
export function storeUnderTest(options: Pick<MemoryStoreOptions, "now"> = {}): Promise<RouterStore> {
  return current(options);
}

/** What {@link storeUnderTest} opens from now on. */
export function useStores(open: Open = inMemory): void {
  current = open;
}
