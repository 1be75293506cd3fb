// Calls built-in functions with ordinary arguments and says what came of each, in one form for every engine. Its text is run by
// Node and by the sandbox. `names`: those of the global object to look at; without, all functions found are given by their paths.
(names, paths) => {
  const show = (value, depth = 0) => {
    if (typeof value === "function") return "function";
    if (typeof value === "symbol") return "symbol";
    if (typeof value === "bigint") return `${value}n`;
    if (Object.is(value, -0)) return "-0";
    if (typeof value !== "object" || value === null)
      return typeof value === "string" ? JSON.stringify(value) : `${value}`;
    const tag = Object.prototype.toString.call(value);
    if (depth > 2) return tag;
    if (Array.isArray(value) || ArrayBuffer.isView(value))
      return `${tag}[${Array.from(value instanceof DataView ? [] : value, (item) => show(item, depth + 1))}]`;
    if (value instanceof Date) return `Date ${Number(value)}`;
    if (value instanceof RegExp) return `RegExp ${value}`;
    if (value instanceof Error) return `${value.name}`;
    if (value instanceof Promise) return "Promise";
    if (typeof value[Symbol.iterator] === "function")
      return `${typeof value.next === "function" ? "Iterator" : tag}[${[...value].slice(0, 5).map((item) => show(item, depth + 1))}]`;
    return `${tag}{${Object.keys(value)
      .sort()
      .map((key) => `${key}:${show(value[key], depth + 1)}`)}}`;
  };
  // What is given a value by the clock or by chance, prints, waits, or makes code.
  const skipped =
    /^(globalThis|Date\.now|Math\.random|crypto|performance|console|set(Timeout|Interval|Immediate)|clear|queueMicrotask|eval|Function|Abort|Event|DOMException|Proxy|FinalizationRegistry|WeakRef|Promise|.*\.constructor$|.*Iterator|structuredClone)/;
  const found = [];
  const seen = new Set();
  const walk = (holder, path, depth) => {
    if (seen.has(holder) || depth > 3) return;
    seen.add(holder);
    for (const key of Object.getOwnPropertyNames(holder)) {
      const { value } = Object.getOwnPropertyDescriptor(holder, key);
      const at = path === "" ? key : `${path}.${key}`;
      if (skipped.test(at) || key === "caller" || key === "arguments" || value === globalThis) continue;
      if (typeof value === "function") found.push(at);
      if ((typeof value === "object" && value !== null) || typeof value === "function") walk(value, at, depth + 1);
    }
  };
  if (paths === undefined) {
    for (const name of names) {
      const value = globalThis[name];
      if (typeof value === "function" && !skipped.test(name)) found.push(name);
      if (((typeof value === "object" && value !== null) || typeof value === "function") && !skipped.test(name))
        walk(value, name, 0);
    }
    // What all typed arrays have hangs on no name.
    for (const key of Object.getOwnPropertyNames(Object.getPrototypeOf(Uint8Array.prototype))) {
      const { value } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), key);
      if (key !== "constructor" && typeof value === "function") found.push(`Uint8Array.prototype.${key}`);
    }
    return found;
  }
  const receivers = {
    String: () => ["Straße ÀÉ abc, ABC 12.5", "  1,234  ", ""],
    Number: () => [1234567.891, -0.5, Number.NaN, 25],
    BigInt: () => [1234567n, -5n],
    Boolean: () => [true],
    Symbol: () => [Symbol("s")],
    Date: () => [new Date(1704164645678), new Date(Number.NaN), new Date(-1e12)],
    Array: () => [
      [3, 1, 2],
      ["b", "a", undefined],
      [[1], [2, [3]]],
      [1234.5, null],
    ],
    RegExp: () => [/a(?<x>b)?/gi, /^$/],
    Map: () => [new Map([["a", 1]])],
    Set: () => [new Set([1, "a"])],
    WeakMap: () => [new WeakMap()],
    WeakSet: () => [new WeakSet()],
    Object: () => [{ a: 1, b: [2] }],
    Error: () => [new RangeError("far")],
    ArrayBuffer: () => [new Uint8Array([1, 2, 3]).buffer],
    DataView: () => [new DataView(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9]).buffer)],
    URL: () => [new URL("https://a.example/b?c=d#e")],
    URLSearchParams: () => [new URLSearchParams("a=1&b=2&a=3")],
    TextEncoder: () => [new TextEncoder()],
    TextDecoder: () => [new TextDecoder()],
  };
  const argumentsOf = () => [
    [],
    [undefined],
    [null],
    [0],
    [1],
    [-1],
    [2.5],
    [100],
    [Number.NaN],
    ["a"],
    ["B"],
    ["a", "b"],
    ["é", "en"],
    ["10", "en-US", { numeric: true }],
    ["2024-01-02"],
    ["Jan 2, 2024 10:00"],
    ["1,5"],
    ["0x1f", 16],
    ["%41%zz"],
    [/a/g, "x"],
    [/(b)/],
    [[3, 1, 2]],
    [["b", "a"], 1],
    [{ a: 1 }],
    [{ length: 2, 0: "x" }],
    [(item) => item],
    [(a, b) => (a < b ? 1 : -1)],
    [1, 3],
    [1, 0, "z"],
    [5n],
    [5, 3n],
    [true],
    ["en"],
    ["en-US", {}],
    [undefined, { maximumFractionDigits: 1 }],
    [undefined, { style: "currency", currency: "EUR" }],
    ["de-DE"],
    ["en-GB"],
    [undefined, { dateStyle: "medium" }],
    [undefined, { timeZone: "UTC", hour: "numeric" }],
    [2024, 1],
    [2024, 0, 31, 12, 30],
    [new Date(0)],
    [new Set([1])],
    [Symbol.iterator],
    ["NFD"],
    ["https://a.example/x y?q=1"],
    [new Uint8Array([0xc3, 0xa9, 0xff])],
    ["text", 3, "-"],
    [10, "ab"],
  ];
  const out = {};
  for (const path of paths) {
    const parts = path.split(".");
    const at = parts.indexOf("prototype");
    let holder = globalThis;
    for (const part of parts.slice(0, -1)) holder = holder?.[part];
    const name = parts.at(-1);
    if (typeof holder?.[name] !== "function") {
      out[path] = undefined;
      continue;
    }
    const kind = parts[0];
    const typed = /^(Big)?(Int|Uint|Float)\d+(Clamped)?Array$/.test(kind);
    const give =
      at < 0
        ? () => [holder]
        : typed
          ? () => [new globalThis[kind](kind.startsWith("Big") ? [3n, 1n, 2n] : [3, 1, 2])]
          : (receivers[kind] ?? (() => [/Error$/.test(kind) ? new globalThis[kind]("far") : {}]));
    out[path] = [];
    for (let which = 0; which < give().length; which++) {
      for (let index = 0; index < argumentsOf().length; index++) {
        const self = give()[which];
        const call = `${index}:${which}`;
        try {
          const isClass = at < 0 && parts.length === 1 && /^[A-Z]/.test(name) && !/^(BigInt|Symbol)$/.test(name);
          const value =
            isClass && name !== "Date"
              ? new holder[name](...argumentsOf()[index])
              : name === "Date" && at < 0
                ? index === 0
                  ? 0
                  : new Date(...argumentsOf()[index])
                : self === globalThis
                  ? globalThis[name](...argumentsOf()[index])
                  : self[name](...argumentsOf()[index]);
          out[path].push(`${call} ${show(value).slice(0, 150)} | ${at < 0 ? "" : show(self).slice(0, 100)}`);
        } catch {
          out[path].push(`${call} throws`);
        }
      }
    }
  }
  return out;
};
