import { memoryStorage, type Storage } from "@toolglot/core/storage";

type Method = (...given: unknown[]) => Promise<unknown>;

/** Creates the logs and blobs of a `MemoryStore`. `enter` runs before each method, and throws once the store is closed. */
export function memoryLogsAndBlobs(enter: () => void): Pick<Storage, "logs" | "blobs"> {
  function entering<Part extends Storage["logs" | "blobs"]>(part: Part): Part {
    const methods = Object.entries(part).map(([name, method]: [string, Method]) => {
      const entered: Method = async (...given) => {
        enter();
        return method(...given);
      };
      return [name, entered];
    });
    async function* list(prefix: string): AsyncIterable<string> {
      enter();
      yield* part.list(prefix);
    }
    return { ...Object.fromEntries(methods), list };
  }

  const { logs, blobs } = memoryStorage();
  return { logs: entering(logs), blobs: entering(blobs) };
}
