import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import {
  builtinGrants,
  DiskFileSystem,
  type DiskFileSystemOptions,
  FileDomainService,
  type FsHandle,
} from "../../../src/agentscope/file-system/index.ts";
import { localErrorType } from "../../../src/errors.ts";

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toglot-fs-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Place {
  root: string;
  fs: DiskFileSystem;
  handle: FsHandle;
  service: FileDomainService;
  /** Puts a file below the root, past all rights. */
  put(path: string, content?: string | Uint8Array): string;
}

/** A file system with all namespaces in a folder of its own, and all rights there are. */
export function makePlace(options: DiskFileSystemOptions = {}): Place {
  const root = temporaryFolder();
  const fs = new DiskFileSystem({ rootDir: join(root, "base"), ...options });
  const handle = fs.createHandle(builtinGrants("userinput", "workspace", "internal"));
  return {
    root,
    fs,
    handle,
    service: new FileDomainService(handle),
    put(path, content = "") {
      const whole = join(root, "base", path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, content);
      return whole;
    },
  };
}

/** The type of the refusal that a promise ends in; throws when it does not end in one. */
export async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    (value) => {
      throw new Error(`expected a refusal, got ${JSON.stringify(value)}`);
    },
    (reason: unknown) => reason,
  );
  const type = localErrorType(error);
  if (type === undefined) throw error;
  return type;
}

/** What a promise is refused with, in words. */
export async function refusalText(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error("expected a refusal"),
    (reason: Error) => reason,
  );
  if (localErrorType(error) === undefined) throw error;
  return error.message;
}
