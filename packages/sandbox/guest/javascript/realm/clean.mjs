/**
 * Makes the function that writes the program's values as JSON text by a written rule, and says what it changed. Runs
 * inside the engine, in a realm of its own: its text is taken, so it must not speak of anything outside itself.
 * The originals it uses are those of its realm; what belongs to the program's realm is asked for by `isPromise`.
 *
 * @param {(value: unknown) => boolean} isPromise
 * @param {any} kinds Of kinds.mjs.
 * @param {(bytes: Uint8Array) => string} base64
 */
export function makeCleaner(isPromise, kinds, base64) {
  const maxDepth = 200;
  const maxNotes = 100;
  const maxTextLength = 10_000;
  const batchSize = 1000;
  const droppedKeys = ["__proto__", "constructor", "prototype"];

  const quote = /** @type {(value: unknown) => string} */ (JSON.stringify);

  class TooLarge extends Error {}
  /** `path`: where the value stands, as `items[2].price`. The message says what it is, and shows what it was. */
  class Unfit extends Error {
    /** @param {string} path @param {string} message @param {unknown} [value] What the message doesn't show. */
    constructor(path, message, value) {
      super(value === undefined ? message : `${message} (it was ${kinds.told(value)})`);
      this.path = path;
    }
  }

  /** @param {any} path Links of [outer path, key], so that it costs nothing where it is not needed. */
  const written = (path) => {
    let text = "";
    for (let link = path; link !== undefined; link = link[0]) {
      text = (typeof link[1] === "number" ? `[${link[1]}]` : `.${link[1]}`) + text;
    }
    return (text[0] === "." ? text.slice(1) : text).slice(0, 200);
  };

  const className = (/** @type {unknown} */ value) => kinds.className(value) ?? "object";

  // The state of the value at work. Closures cost the engine more than all they do here, so they are made once.
  /** @type {string[]} */
  let parts = [];
  let open = new Set();
  let left = 0;
  let most = 0;
  /** @type {"result" | "arguments" | "answer"} */
  let use = "result";
  /** @type {object[]} */
  let changes = [];

  const tooLarge = () => new TooLarge(`more than ${most} bytes as JSON`);
  const note = (/** @type {any} */ path, /** @type {string} */ from, /** @type {string} */ to) => {
    if (changes.length < maxNotes) changes.push({ path: written(path), from, to });
  };
  const put = (/** @type {string} */ text) => {
    left -= text.length;
    if (left < 0) throw tooLarge();
    parts.push(text);
  };
  const putText = (/** @type {string} */ text) => {
    if (text.length > left) throw tooLarge();
    put(quote(text));
  };
  const refuse = (/** @type {any} */ path, /** @type {string} */ what, /** @type {unknown} */ value) => {
    throw new Unfit(written(path), `${what}, which has no JSON form`, value);
  };
  const unfit = (
    /** @type {any} */ path,
    /** @type {unknown} */ value,
    /** @type {string} */ kind,
    /** @type {() => string} */ text,
  ) => {
    if (use === "arguments") refuse(path, `${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind}`, value);
    note(path, kind, "text");
    putText(text().slice(0, maxTextLength));
  };

  const primitive = (/** @type {any} */ value, /** @type {any} */ path) => {
    if (typeof value === "string") putText(value);
    else if (typeof value === "number") {
      if (value - value === 0) put(`${value}`);
      else {
        if (use === "arguments") refuse(path, `${value}`, value);
        note(path, `${value}`, "null");
        put("null");
      }
    } else if (typeof value === "boolean") put(value ? "true" : "false");
    else if (value === null) put("null");
    else if (value === undefined) {
      note(path, "undefined", "null");
      put("null");
    } else if (typeof value === "bigint") {
      const safe = value >= -9007199254740991n && value <= 9007199254740991n;
      if (use === "arguments" && !safe) refuse(path, "a bigint beyond 2^53", value);
      note(path, "bigint", safe ? "number" : "decimal text");
      const text = `${value}`;
      put(safe ? text : `"${text}"`);
    } else unfit(path, value, "symbol", () => kinds.symbolText(value));
  };

  /**
   * What stands open, the innermost last: a list, or the fields of an object. Walked in a loop, because the engine's stack
   * is small. `value` leaves the path of cycles when it is closed.
   * @typedef {{ value: any, path: any, items: any, names: string[] | undefined, index: number, length: number, first: boolean }} Frame
   * @type {Frame[]}
   */
  let frames = [];

  /** @param {any} value @param {any} path @param {any} items An array, or what the names are looked up in. */
  const begin = (value, path, items, /** @type {string[] | undefined} */ names) => {
    if (frames.length > maxDepth) throw new TooLarge(`nested deeper than ${maxDepth} levels`);
    const length = names === undefined ? items.length : names.length;
    // Each item takes at least a character and a comma.
    if (names === undefined && length * 2 - 1 > left) throw tooLarge();
    open.add(value);
    put(names === undefined ? "[" : "{");
    frames.push({ value, path, items, names, index: 0, length, first: true });
  };

  /** @param {any} value @param {any} path @param {string | number} key For `toJSON`. @param {boolean} asked It was. */
  const visit = (value, path, key, asked) => {
    if (typeof value !== "object" && typeof value !== "function") return primitive(value, path);
    if (value === null) return put("null");
    if (open.has(value)) {
      if (use !== "result") refuse(path, "part of a cycle", value);
      note(path, "cycle", "null");
      return put("null");
    }
    const toJSON = asked ? undefined : value.toJSON;
    // Dates and Node's buffers have one too; ours says what became of them.
    if (typeof toJSON === "function" && kinds.timeOf(value) === undefined && !ArrayBuffer.isView(value)) {
      const given = Reflect.apply(toJSON, value, [`${key}`]);
      if (given !== value) note(path, className(value), "what its toJSON gives");
      return visit(given, path, key, true);
    }
    if (typeof value === "function") return unfit(path, value, "function", () => named(value));
    if (Array.isArray(value)) return begin(value, path, value, undefined);
    const prototype = Reflect.getPrototypeOf(value);
    const plain = prototype === null || Reflect.getPrototypeOf(prototype) === null;
    if (!plain && special(value, path)) return;
    if (!plain) note(path, className(value), "object");
    begin(value, path, value, Object.keys(value));
  };

  /** What JSON writes as it is, so that many of them can be written at once. */
  const isSimple = (/** @type {any} */ value) =>
    typeof value === "string" ||
    (typeof value === "number" && value - value === 0) ||
    value === null ||
    typeof value === "boolean";

  /** Goes on with a list up to its next item that has to be visited. @param {Frame} frame */
  const items = (frame) => {
    /** @type {unknown[]} */
    let simple = [];
    let size = 0;
    for (;;) {
      const done = frame.index >= frame.length;
      const item = done ? undefined : frame.items[frame.index];
      const joins = !done && isSimple(item);
      if (joins) {
        simple.push(item);
        size += typeof item === "string" ? item.length + 3 : 2;
        if (size > left) throw tooLarge();
        frame.index++;
      }
      if (simple.length > 0 && (!joins || simple.length === batchSize)) {
        put((frame.first ? "" : ",") + quote(simple).slice(1, -1));
        frame.first = false;
        simple = [];
        size = 0;
      }
      if (joins) continue;
      if (done) return close(frame, "]");
      if (!frame.first) put(",");
      frame.first = false;
      const index = frame.index++;
      return visit(item, [frame.path, index], index, false);
    }
  };

  /** Goes on with an object up to its next field that has to be visited. @param {Frame} frame @param {string[]} names */
  const fields = (frame, names) => {
    while (frame.index < frame.length) {
      const name = /** @type {string} */ (names[frame.index++]);
      const item = frame.items[name];
      const isDropped = use !== "answer" && droppedKeys.includes(name);
      if (isDropped && use === "arguments")
        throw new Unfit(written([frame.path, name]), "a key that no tool is given", item);
      if (item === undefined || isDropped) {
        note([frame.path, name], item === undefined ? "undefined" : "key", "dropped");
        continue;
      }
      if (name.length > left) throw tooLarge();
      put(frame.first ? `${quote(name)}:` : `,${quote(name)}:`);
      frame.first = false;
      if (typeof item === "string") putText(item);
      else if (isSimple(item)) put(`${item}`);
      else return visit(item, [frame.path, name], name, false);
    }
    close(frame, "}");
  };

  const close = (/** @type {Frame} */ frame, /** @type {string} */ bracket) => {
    put(bracket);
    frames.pop();
    open.delete(frame.value);
  };

  /** What has an inner state of its own. False when the value is an ordinary object. */
  const special = (/** @type {any} */ value, /** @type {any} */ path) => {
    if (kinds.timeOf(value) !== undefined) date(value, path);
    else if (ArrayBuffer.isView(value)) view(value, path);
    else if (kinds.mapSize(value) !== undefined) map(value, path);
    else if (kinds.setSize(value) !== undefined) {
      note(path, "Set", "array");
      /** @type {unknown[]} */
      const held = [];
      Reflect.apply(Set.prototype.forEach, value, [(/** @type {unknown} */ item) => held.push(item)]);
      begin(value, path, held, undefined);
    } else if (kinds.bufferBytes(value) !== undefined) bytes("ArrayBuffer", new Uint8Array(value), path);
    else if (kinds.isError(value)) unfit(path, value, className(value), () => `${className(value)}: ${value.message}`);
    else if (isPromise(value)) throw new Unfit(written(path), "a promise: await it");
    else if (kinds.isRegExp(value)) unfit(path, value, "RegExp", () => kinds.regExpText(value));
    else return boxed(value, path);
    return true;
  };

  const boxed = (/** @type {any} */ value, /** @type {any} */ path) => {
    const held = kinds.unboxed(value);
    if (held !== undefined) primitive(held.inside, path);
    return held !== undefined;
  };

  const date = (/** @type {any} */ value, /** @type {any} */ path) => {
    const valid = !Number.isNaN(kinds.timeOf(value));
    if (use === "arguments" && !valid) refuse(path, "an invalid date", value);
    note(path, "Date", valid ? "ISO 8601 text" : "null");
    put(valid ? quote(kinds.isoText(value)) : "null");
  };

  const view = (/** @type {any} */ value, /** @type {any} */ path) => {
    const kind = kinds.viewKind(value);
    if (kind === undefined) bytes("DataView", new Uint8Array(value.buffer, value.byteOffset, value.byteLength), path);
    else if (kind === "Uint8Array") bytes(kind, new Uint8Array(value), path);
    else {
      note(path, kind, "array");
      begin(value, path, value, undefined);
    }
  };

  const bytes = (/** @type {string} */ kind, /** @type {Uint8Array} */ held, /** @type {any} */ path) => {
    if ((held.length * 4) / 3 > left) throw tooLarge();
    note(path, kind, "base64 text");
    put(`"${base64(held)}"`);
  };

  const map = (/** @type {any} */ value, /** @type {any} */ path) => {
    note(path, "Map", "object");
    const entries = Object.create(null);
    const add = (/** @type {unknown} */ item, /** @type {unknown} */ key) => {
      const name = typeof key === "symbol" ? kinds.symbolText(key) : keyText(key);
      if (name in entries)
        throw new Unfit(written(path), `a Map with two keys that are the same text, ${quote(name)}`, value);
      if (typeof key !== "string") note([path, name], `key of type ${key === null ? "null" : typeof key}`, "text");
      entries[name] = item;
    };
    Reflect.apply(Map.prototype.forEach, value, [add]);
    begin(value, path, entries, Object.keys(entries));
  };

  /**
   * JSON text of a value. Throws `TooLarge`, `Unfit` (a value that has no JSON form, or none that this use allows), and
   * whatever a getter or a `toJSON` of the program throws. `notes` gets `{ path, from, to }` of what came out changed.
   * @param {unknown} root @param {number} maxLength In UTF-16 units.
   * @param {"result" | "arguments" | "answer"} to What it is for: of a program, for a tool, of a tool.
   * @param {object[]} notes @param {any} [rootPath]
   */
  const clean = (root, maxLength, to, notes, rootPath) => {
    // A `toJSON` of the program may call a tool, whose arguments are cleaned meanwhile.
    const outer = { parts, open, frames, left, most, use, changes };
    parts = [];
    open = new Set();
    frames = [];
    left = most = maxLength;
    use = to;
    changes = notes;
    try {
      visit(root, rootPath, "", false);
      for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
        if (frame.names === undefined) items(frame);
        else fields(frame, frame.names);
      }
      return parts.length === 1 ? parts[0] : parts.join("");
    } catch (error) {
      if (error instanceof TooLarge) error.message += ` (it was ${kinds.told(root)})`;
      throw error;
    } finally {
      ({ parts, open, frames, left, most, use, changes } = outer);
    }
  };

  const keyText = (/** @type {any} */ key) => {
    if (typeof key === "function") return named(key);
    if (typeof key !== "object" || key === null) return `${key}`;
    return kinds.timeOf(key) !== undefined ? kinds.isoText(key) : `${key}`.slice(0, maxTextLength);
  };

  const named = (/** @type {any} */ value) => {
    const { name } = value;
    const kind = kinds.isClass(value) ? "class" : "function";
    return typeof name === "string" && name !== "" ? `[${kind} ${name.slice(0, 100)}]` : `[${kind}]`;
  };

  return { clean, droppedKeys, TooLarge, Unfit };
}
