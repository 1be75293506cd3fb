/** TRP (Tool Router Protocol): one entry for every tool call, with catalog, policy, approvals, idempotency and audit. */

export { chainRow, verifyRows } from "./audit/chain.ts";
export type * from "./audit/types.ts";
export type * from "./calls/types.ts";
export type * from "./capability/types.ts";
export type * from "./errors/types.ts";
export type * from "./events/types.ts";
export type * from "./frames/types.ts";
export type * from "./identity/types.ts";
export type * from "./parts.ts";
export type * from "./policy/types.ts";
export type * from "./router/types.ts";
export { MemoryStore, type MemoryStoreOptions } from "./store/memory-store.ts";
export type * from "./store/types.ts";
