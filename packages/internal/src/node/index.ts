// What packages for Node share: one writer at a time across processes.
export { type HeldLock, takeLock } from "./file-lock.ts";
export { isAlive, isRunning, type Owner, parseOwner, processFields, thisOwner } from "./owner.ts";
