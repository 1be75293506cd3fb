import type { RouterStore } from "../../src/store/index.ts";

/**
 * The store, and a wait until none of its methods is under way: what it was asked for is committed then, and its thread does nothing.
 * Another method can't begin before the caller of `atRest` gives up its turn. A read that is answered says no such thing: the store
 * reads beside a write.
 */
export function watched(store: RouterStore): { store: RouterStore; atRest(): Promise<void> } {
  let underWay = 0;
  let rest: (() => void)[] = [];
  const settled = (): void => {
    if (--underWay > 0) return;
    for (const go of rest) go();
    rest = [];
  };
  const watch = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (from, name) => {
        const value: unknown = Reflect.get(from, name);
        if (typeof value === "object" && value !== null) return watch(value);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          const result: unknown = value.apply(from, args);
          if (!(result instanceof Promise)) return result;
          underWay++;
          // Whoever asked hears of it first.
          void result.then(settled, settled);
          return result;
        };
      },
    });
  const atRest = async (): Promise<void> => {
    while (underWay > 0) await new Promise<void>((resolve) => rest.push(resolve));
  };
  return { store: watch(store), atRest };
}
