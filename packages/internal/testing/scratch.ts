import { access, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of its own for one test, removed when the test is over. Paths are relative to it. */
export interface Scratch {
  /** Real path. */
  readonly path: string;
  at(...names: string[]): string;
  /** Makes the folders on the way, too. */
  write(name: string, content: string | Uint8Array): Promise<void>;
  read(name: string): Promise<string>;
  bytes(name: string): Promise<Buffer>;
  has(name: string): Promise<boolean>;
}

/** Makes a scratch folder that holds the files given. Call it inside a test. */
export async function scratchFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<Scratch> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "toolglot-scratch-")));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 5 }));
  const scratch: Scratch = {
    path,
    at: (...names) => join(path, ...names),
    async write(name, content) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), content);
    },
    read: (name) => readFile(join(path, name), "utf8"),
    bytes: (name) => readFile(join(path, name)),
    has: (name) =>
      access(join(path, name)).then(
        () => true,
        () => false,
      ),
  };
  for (const [name, content] of Object.entries(files)) await scratch.write(name, content);
  return scratch;
}
