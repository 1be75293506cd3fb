/** Where things are kept: the interfaces, a storage in memory, and what those need who write one. */
export { loggedOperations } from "./storage/logged-operations.ts";
export { type MemoryStorageOptions, memoryStorage } from "./storage/memory-storage.ts";
export { checkLogLines, checkStoredName } from "./storage/names.ts";
export type { BlobStore, LogStore, Storage } from "./storage/types.ts";
