import type { JsonObject } from "@toolglot/core";

/** Frames that a client should not send, from one seed: the same run gives the same frames. */
export interface HostileFrames {
  /** A number below `limit`. */
  below(limit: number): number;
  /** One of a list. */
  pick<T>(list: readonly T[]): T;
  /** Anything: JSON, what is no JSON, what throws when it is looked at. */
  anything(): unknown;
  /** A copy of a good frame with up to three places spoiled. */
  spoiled(frame: JsonObject): unknown;
}

const names = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "toJSON",
  "then",
  "length",
  "",
  "0",
  "-1",
  "payload",
  "frame_id",
  "call_id",
  "args",
  "\u0000",
  "\ud800",
  "a.b[0]",
  "$ref",
];

const texts = [
  ...names,
  "x".repeat(256),
  "x".repeat(257),
  "y".repeat(5_000),
  "\udfff\ud800",
  "😀".repeat(128),
  "😀".repeat(129),
  "\u202e",
  "\u007f",
  "\r\n",
  "'; DROP TABLE sessions; --",
  "../../../../etc/passwd",
  "{{7*7}}#{7*7}",
  "<script>alert(1)</script>",
  "0.1",
  "0.10",
  "CALL_REQ",
  "NACK",
  "SYNC",
  "null",
  "NaN",
  "1e999",
  "appr_0123456789ab",
  "appr1.e30.AAAA",
  `appr1.${"A".repeat(8_000)}.A`,
];

const numbers = [
  0,
  -0,
  1,
  -1,
  0.5,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  1e21,
  1.7976931348623157e308,
  5e-324,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
];

export function hostileFrames(seed: number): HostileFrames {
  let state = seed >>> 0;

  // mulberry32
  function random(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;

  function json(depth: number): unknown {
    switch (below(depth > 4 ? 4 : 6)) {
      case 0:
        return pick([null, true, false]);
      case 1:
        return pick(numbers);
      case 2:
      case 3:
        return pick(texts);
      case 4:
        return Array.from({ length: below(4) }, () => json(depth + 1));
      default: {
        const object = {};
        for (let count = below(4); count > 0; count--) put(object, pick(names), json(depth + 1));
        return object;
      }
    }
  }

  function deep(): unknown {
    let value: unknown = pick(texts);
    for (let level = below(300); level > 0; level--) value = below(2) === 0 ? [value] : { [pick(names)]: value };
    return value;
  }

  function anything(): unknown {
    switch (below(24)) {
      case 0:
        return undefined;
      case 1:
        return deep();
      case 2:
        return circle();
      case 3:
        return shared();
      case 4:
        return pick([
          () => 1,
          Symbol("s"),
          10n ** 30n,
          new Date(Number.NaN),
          new Map([[1, 2]]),
          /x/,
          new Error("inside"),
        ]);
      case 5:
        return throwing();
      case 6:
        return Object.freeze(Object.assign(Object.create(null), { frame_id: pick(texts) }));
      case 7:
        return Array.from({ length: below(600) }, () => pick(numbers));
      case 8:
        return new Array(pick([1, 70, 2 ** 32 - 1]));
      case 9:
        return Object.assign(Object.create({ inherited: pick(texts) }), { own: 1 });
      default:
        return json(0);
    }
  }

  /** Some place of a frame: the object that holds it, and its key. Half the time in its payload. */
  function place(frame: object): { holder: object; key: string } {
    const { payload } = frame as { payload?: unknown };
    let holder = below(2) === 0 && typeof payload === "object" && payload !== null ? payload : frame;
    for (;;) {
      const keys = Object.keys(holder);
      if (keys.length === 0) return { holder, key: pick(names) };
      const key = pick(keys);
      const next = (holder as Record<string, unknown>)[key];
      if (typeof next !== "object" || next === null || below(4) === 0) return { holder, key };
      holder = next;
    }
  }

  function spoil(frame: object): void {
    const { holder, key } = place(frame);
    const held = (holder as Record<string, unknown>)[key];
    switch (below(6)) {
      case 0:
        Reflect.deleteProperty(holder, key);
        break;
      case 1:
        put(holder, below(2) === 0 ? pick(names) : `${key}${pick(["s", "_", ""])}`, anything());
        break;
      case 2:
        put(holder, key, [held]);
        break;
      case 3:
        put(holder, key, place(frame).holder);
        break;
      default:
        put(holder, key, anything());
    }
  }

  function spoiled(frame: JsonObject): unknown {
    const copy = structuredClone(frame);
    for (let count = below(4); count > 0; count--) {
      try {
        spoil(copy);
      } catch {
        // What was put in before is frozen, or throws when it is looked at: it stays as it is.
      }
    }
    return copy;
  }

  function shared(): unknown {
    let value: object = { end: 1 };
    for (let level = below(12); level > 0; level--) value = { left: value, right: value };
    return value;
  }

  return { below, pick, anything, spoiled };
}

/** Sets a member whatever its name. */
function put(object: object, key: string, value: unknown): void {
  if (Array.isArray(object)) {
    object[object.length === 0 ? 0 : Math.min(object.length, Number(key) || 0)] = value;
    return;
  }
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function circle(): unknown {
  const object: Record<string, unknown> = { list: [] };
  object.self = object;
  (object.list as unknown[]).push(object);
  return object;
}

function throwing(): unknown {
  const boom = (): never => {
    throw new TypeError("internals: /srv/router/src/frames.ts:12:3");
  };
  return new Proxy({}, { get: boom, ownKeys: boom, getPrototypeOf: boom, has: boom, getOwnPropertyDescriptor: boom });
}
