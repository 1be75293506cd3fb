/** A folder as a storage, for programs on one machine that go on where another process stopped. */
export { type FolderStorageOptions, folderStorage } from "./folder-storage.ts";
