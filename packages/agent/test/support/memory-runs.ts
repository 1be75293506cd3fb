import { type LogStore, memoryStorage, type Storage } from "@toolglot/core/storage";

/** A storage in memory whose runs a test can look at and change, by their ids. */
export function memoryRuns(): Storage & { runs: Map<string, string[]> } {
  const runs = new Map<string, string[]>();
  const idOf = (name: string): string => name.slice("agent/runs/".length);
  const logs: LogStore = {
    async append(name, lines, at) {
      const log = runs.get(idOf(name)) ?? [];
      if (log.length !== at) return false;
      runs.set(idOf(name), [...log, ...lines]);
      return true;
    },
    read: async (name) => runs.get(idOf(name))?.slice(),
    delete: async (name) => void runs.delete(idOf(name)),
    async *list(prefix) {
      for (const id of runs.keys()) if (`agent/runs/${id}`.startsWith(prefix)) yield `agent/runs/${id}`;
    },
  };
  return { ...memoryStorage(), logs, runs };
}
