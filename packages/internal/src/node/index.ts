// What packages for Node share: the end of a server, one writer at a time across processes, and files that only one user reads.

export { closeServer } from "./close-server.ts";
export { type HeldLock, takeLock } from "./file-lock.ts";
export { makeFolder } from "./make-folder.ts";
export { isAlive, isRunning, type Owner, parseOwner, processFields, thisOwner } from "./owner.ts";
export { makePrivateFolder, readPrivateFile, type WrongFile, writePrivateFile } from "./private-file.ts";
