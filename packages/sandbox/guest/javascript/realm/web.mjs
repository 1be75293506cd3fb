/**
 * Names that programs expect of every runtime of JavaScript and that reach nothing: texts as bytes, copies, signals, random
 * values. Runs inside the program's realm: its text is taken, so it must not speak of anything outside itself.
 *
 * @param {(name: string, value: unknown) => void} add
 * @param {(holder: object, name: string, least: number) => void} need
 * @param {(target: object, name: string, value: unknown) => void} hide
 * @param {() => number} draw
 */
export function addWeb(add, need, hide, draw) {
  const { apply } = Reflect;
  const reject = (/** @type {unknown} */ error) => Promise.reject(error);

  // --- random ---

  const hex = (/** @type {number} */ digits) =>
    Array.from({ length: digits }, () => Math.floor(draw() * 16).toString(16)).join("");
  add(
    "crypto",
    Object.freeze({
      randomUUID: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${"89ab"[Math.floor(draw() * 4)]}${hex(3)}-${hex(12)}`,
      /** @param {any} list */
      getRandomValues(list) {
        if (
          !ArrayBuffer.isView(list) ||
          list instanceof DataView ||
          list instanceof Float32Array ||
          list instanceof Float64Array
        )
          throw new TypeError("getRandomValues takes an array of integers");
        const bytes = new Uint8Array(list.buffer, list.byteOffset, list.byteLength);
        if (bytes.length > 65536) throw new DOMException("more than 65536 bytes", "QuotaExceededError");
        for (let index = 0; index < bytes.length; index++) bytes[index] = Math.floor(draw() * 256);
        return list;
      },
    }),
  );

  class DOMException extends Error {
    constructor(message = "", name = "Error") {
      super(message);
      hide(this, "name", `${name}`);
    }
  }
  add("DOMException", DOMException);

  // --- texts as bytes ---

  class TextEncoder {
    get encoding() {
      return "utf-8";
    }
    encode(text = "") {
      const encoded = unescape(encodeURIComponent(`${text}`.toWellFormed()));
      return Uint8Array.from(encoded, (character) => character.charCodeAt(0));
    }
  }
  const utf8 = (/** @type {Uint8Array} */ bytes, /** @type {boolean} */ fatal) => {
    const parts = [];
    for (let index = 0; index < bytes.length; ) {
      const first = bytes[index++] ?? 0;
      let more =
        first < 0x80
          ? 0
          : first >= 0xc2 && first < 0xe0
            ? 1
            : first >= 0xe0 && first < 0xf0
              ? 2
              : first >= 0xf0 && first < 0xf5
                ? 3
                : -1;
      let code = more <= 0 ? first : first & (0x3f >> more);
      let [least, most] =
        first === 0xe0
          ? [0xa0, 0xbf]
          : first === 0xed
            ? [0x80, 0x9f]
            : first === 0xf0
              ? [0x90, 0xbf]
              : first === 0xf4
                ? [0x80, 0x8f]
                : [0x80, 0xbf];
      for (; more > 0; more--) {
        const byte = bytes[index] ?? 0;
        if (byte < least || byte > most) more = -1;
        else {
          code = (code << 6) | (byte & 0x3f);
          index++;
          [least, most] = [0x80, 0xbf];
        }
      }
      if (more < 0 && fatal) throw new TypeError("The encoded data was not valid for encoding utf-8");
      parts.push(more < 0 ? "\ufffd" : String.fromCodePoint(code));
    }
    return parts.join("");
  };
  class TextDecoder {
    #fatal;
    #keepsMark;
    constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
      if (!/^\s*(utf-?8|unicode-1-1-utf-8)\s*$/i.test(`${label}`))
        throw new RangeError(`The encoding ${label} is not available here: there is utf-8`);
      this.#fatal = fatal;
      this.#keepsMark = ignoreBOM;
    }
    get encoding() {
      return "utf-8";
    }
    get fatal() {
      return this.#fatal;
    }
    get ignoreBOM() {
      return this.#keepsMark;
    }
    decode(/** @type {any} */ data = new Uint8Array(), { stream = false } = {}) {
      if (!ArrayBuffer.isView(data) && !(data instanceof ArrayBuffer)) throw new TypeError("decode takes bytes");
      if (stream) throw new RangeError("decode({ stream: true }) is not available here: decode all bytes at once");
      const bytes = ArrayBuffer.isView(data)
        ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
        : new Uint8Array(data);
      const text = utf8(bytes, this.#fatal);
      return this.#keepsMark ? text : text.replace(/^\ufeff/, "");
    }
  }
  add("TextEncoder", TextEncoder);
  add("TextDecoder", TextDecoder);

  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  add("btoa", (/** @type {unknown} */ given) => {
    const text = `${given}`;
    if (/[^\0-\xff]/.test(text))
      throw new DOMException("a character is beyond Latin-1: encode the text as bytes first", "InvalidCharacterError");
    return text.replace(/[\s\S]{1,3}/g, (three) => {
      const bits = (three.charCodeAt(0) << 16) | ((three.charCodeAt(1) || 0) << 8) | (three.charCodeAt(2) || 0);
      return [18, 12, 6, 0].map((shift, index) => (index > three.length ? "=" : digits[(bits >> shift) & 63])).join("");
    });
  });
  add("atob", (/** @type {unknown} */ given) => {
    const text = `${given}`.replace(/[\t\n\f\r ]/g, "");
    const data = text.length % 4 === 0 ? text.replace(/={1,2}$/, "") : text;
    if (data.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(data))
      throw new DOMException("this is no base64", "InvalidCharacterError");
    return data.replace(/[\s\S]{1,4}/g, (four) => {
      const bits = [0, 1, 2, 3].reduce((sum, index) => (sum << 6) | Math.max(0, digits.indexOf(four[index] ?? "A")), 0);
      return String.fromCharCode((bits >> 16) & 255, (bits >> 8) & 255, bits & 255).slice(0, four.length - 1);
    });
  });

  // --- copies ---

  add("structuredClone", (/** @type {unknown} */ root) => {
    const seen = new Map();
    const refuse = (/** @type {unknown} */ value) => {
      throw new DOMException(
        `${typeof value === "symbol" ? "a symbol" : typeof value === "function" ? "a function" : "this object"} could not be cloned.`,
        "DataCloneError",
      );
    };
    const copy = (/** @type {any} */ value) => {
      if (typeof value === "symbol" || typeof value === "function") refuse(value);
      if (typeof value !== "object" || value === null) return value;
      if (seen.has(value)) return seen.get(value);
      const keep = (/** @type {any} */ made) => {
        seen.set(value, made);
        return made;
      };
      if (value instanceof Date) return keep(new Date(value.getTime()));
      if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
      if (value instanceof ArrayBuffer) return keep(value.slice(0));
      if (ArrayBuffer.isView(value)) {
        const buffer = copy(value.buffer);
        const length = value instanceof DataView ? value.byteLength : /** @type {any} */ (value).length;
        return keep(new /** @type {any} */ (value).constructor(buffer, value.byteOffset, length));
      }
      if ([Number, String, Boolean, BigInt].some((kind) => value instanceof kind)) return keep(Object(value.valueOf()));
      if (value instanceof Map) {
        const made = keep(new Map());
        for (const [key, item] of [...value]) made.set(copy(key), copy(item));
        return made;
      }
      if (value instanceof Set) {
        const made = keep(new Set());
        for (const item of [...value]) made.add(copy(item));
        return made;
      }
      if (value instanceof Error) {
        const kinds = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
        const Kind = /** @type {any} */ (kinds)[value.name] ?? Error;
        const made = keep(new Kind(value.message));
        hide(made, "stack", value.stack);
        if (Object.hasOwn(value, "cause")) hide(made, "cause", copy(value.cause));
        return made;
      }
      if ([Promise, WeakMap, WeakSet, WeakRef].some((kind) => value instanceof kind)) refuse(value);
      const made = keep(Array.isArray(value) ? new Array(value.length) : {});
      for (const key of Object.keys(value))
        Object.defineProperty(made, key, {
          value: copy(value[key]),
          writable: true,
          enumerable: true,
          configurable: true,
        });
      return made;
    };
    return copy(root);
  });

  for (const name of ["atob", "btoa", "structuredClone"]) need(globalThis, name, 1);

  // --- signals ---

  class Event {
    constructor(/** @type {string} */ type) {
      this.type = `${type}`;
      this.target = /** @type {any} */ (null);
    }
  }
  class EventTarget {
    /** @type {Map<string, Map<any, boolean>>} */
    #listeners = new Map();
    addEventListener(/** @type {string} */ type, /** @type {any} */ listener, /** @type {any} */ options = {}) {
      const listeners = this.#listeners.get(type) ?? new Map();
      this.#listeners.set(type, listeners);
      if (listener && !listeners.has(listener)) listeners.set(listener, options?.once === true);
    }
    removeEventListener(/** @type {string} */ type, /** @type {any} */ listener) {
      this.#listeners.get(type)?.delete(listener);
    }
    dispatchEvent(/** @type {any} */ event) {
      event.target = this;
      const one = /** @type {any} */ (this)[`on${event.type}`];
      const all = [...(this.#listeners.get(event.type) ?? [])];
      for (const [listener, once] of typeof one === "function" ? [[one, false], ...all] : all) {
        if (once) this.removeEventListener(event.type, listener);
        try {
          if (typeof listener === "function") apply(listener, this, [event]);
          else listener.handleEvent(event);
        } catch (error) {
          reject(error);
        }
      }
      return true;
    }
  }
  const key = Symbol("made here");
  class AbortSignal extends EventTarget {
    #reason;
    #isAborted = false;
    onabort = null;
    constructor(/** @type {unknown} */ given) {
      if (given !== key) throw new TypeError("Illegal constructor");
      super();
    }
    get aborted() {
      return this.#isAborted;
    }
    get reason() {
      return this.#reason;
    }
    throwIfAborted() {
      if (this.#isAborted) throw this.#reason;
    }
    static [key](
      /** @type {any} */ signal,
      /** @type {unknown} */ reason = new DOMException("This operation was aborted", "AbortError"),
    ) {
      if (signal.#isAborted) return;
      signal.#isAborted = true;
      signal.#reason = reason;
      signal.dispatchEvent(new Event("abort"));
    }
    static abort(/** @type {unknown} */ reason) {
      const signal = new AbortSignal(key);
      abort(signal, reason);
      return signal;
    }
    static timeout(/** @type {number} */ ms) {
      const signal = new AbortSignal(key);
      setTimeout(() => abort(signal, new DOMException("The operation was aborted due to timeout", "TimeoutError")), ms);
      return signal;
    }
    static any(/** @type {Iterable<any>} */ signals) {
      const joined = new AbortSignal(key);
      for (const signal of [...signals]) {
        const follow = () => abort(joined, signal.reason);
        if (signal.aborted) follow();
        else signal.addEventListener("abort", follow, { once: true });
      }
      return joined;
    }
  }
  const abort = AbortSignal[key];
  Reflect.deleteProperty(AbortSignal, key);
  class AbortController {
    #signal = new AbortSignal(key);
    get signal() {
      return this.#signal;
    }
    abort(/** @type {unknown} */ reason) {
      abort(this.#signal, reason);
    }
  }
  for (const made of [Event, EventTarget, AbortSignal, AbortController]) add(made.name, made);
}
