// What packages for Node share: one writer at a time across processes, and files that only one user reads.
export { type HeldLock, takeLock } from "./file-lock.ts";
export { isAlive, isRunning, type Owner, parseOwner, processFields, thisOwner } from "./owner.ts";
export { makePrivateFolder, readPrivateFile, type WrongFile, writePrivateFile } from "./private-file.ts";
