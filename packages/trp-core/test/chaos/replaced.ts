/** An object with other members in the place of some of its own. */
export function replaced<T extends object>(target: T, own: Partial<T>): T {
  return new Proxy(target, {
    get: (from, name) => {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const value = Reflect.get(from, name);
      return typeof value === "function" ? value.bind(from) : value;
    },
  });
}
