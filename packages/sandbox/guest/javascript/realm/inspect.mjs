/**
 * Makes the function behind `console.log`: values as Node prints them, with caps on depth, items and length. Runs inside
 * the engine, in a realm of its own: its text is taken, so it must not speak of anything outside itself.
 *
 * @param {(value: unknown) => boolean} isPromise
 * @param {(stack: string) => string} programFrame Names the innermost line of a stack that is the program's.
 * @param {any} kinds Of kinds.mjs.
 * @param {any} makeLayout Of layout.mjs.
 */
export function makeInspector(isPromise, programFrame, kinds, makeLayout) {
  const maxDepth = 2;
  const maxItems = 100;
  const maxCharacters = 10_000;
  const compactLevels = 3;
  const layout = makeLayout(maxItems, compactLevels);
  const quoted = (/** @type {string} */ text) => layout.quoted(text, maxCharacters);

  const primitive = (/** @type {any} */ value) => {
    if (typeof value === "string") return quoted(value);
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "symbol") return kinds.symbolText(value);
    return Object.is(value, -0) ? "-0" : `${value}`;
  };

  /** @param {unknown} root @param {number} cap Longer text ends there. */
  const inspect = (root, cap) => {
    /** @type {object[]} */
    const open = [];
    /** @type {object[]} */
    const circular = [];
    let left = cap;
    let deepest = 0;

    /** @param {string[]} output @param {string} opening @param {string} closing @param {number} depth @param {number} indent */
    const together = (output, opening, closing, depth, indent, /** @type {any} */ list) =>
      layout.together(output, opening, closing, { indent, list, flat: deepest - depth < compactLevels });

    /** @param {any} value @param {number} depth @param {number} indent @returns {string} */
    const show = (value, depth, indent) => {
      if (left <= 0) return "…";
      if ((typeof value !== "object" && typeof value !== "function") || value === null) {
        const text = primitive(value);
        left -= text.length;
        return text;
      }
      if (open.includes(value)) {
        if (!circular.includes(value)) circular.push(value);
        return `[Circular *${circular.indexOf(value) + 1}]`;
      }
      open.push(value);
      const text = showObject(value, depth, indent);
      open.pop();
      left -= 2;
      return circular.includes(value) ? `<ref *${circular.indexOf(value) + 1}> ${text}` : text;
    };

    /** @param {any} object @param {number} depth @param {number} indent @param {(name: string) => boolean} [wanted] */
    const fieldsOf = (object, depth, indent, wanted) => {
      /** @type {string[]} */
      const output = [];
      for (const key of Reflect.ownKeys(object)) {
        if (typeof key === "string" && wanted !== undefined && !wanted(key)) continue;
        const own = Reflect.getOwnPropertyDescriptor(object, key);
        if (own === undefined || !own.enumerable) continue;
        if (output.length >= maxItems * 10) break;
        const text = own.get
          ? own.set
            ? "[Getter/Setter]"
            : "[Getter]"
          : own.set
            ? "[Setter]"
            : show(own.value, depth + 1, indent + 2);
        const name =
          typeof key === "symbol" ? `[${primitive(key)}]` : /^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key) ? key : quoted(key);
        left -= name.length;
        output.push(`${name}: ${text}`);
      }
      return output;
    };

    const isIndex = (/** @type {string} */ name) => /^(0|[1-9][0-9]*)$/.test(name);

    /** @param {any} value @param {number} depth @param {number} indent @param {string} opening */
    const showList = (value, depth, indent, opening) => {
      /** @type {string[]} */
      const output = [];
      const count = Math.min(value.length, maxItems);
      for (let index = 0; index < count && left > 0; index++) {
        if (index in value) output.push(show(value[index], depth + 1, indent + 2));
        else {
          let end = index;
          while (end + 1 < value.length && !(end + 1 in value) && end - index < maxItems) end++;
          output.push(`<${end - index + 1} empty item${end > index ? "s" : ""}>`);
          index = end;
        }
      }
      const more = value.length - count;
      if (more > 0) output.push(`... ${more} more item${more > 1 ? "s" : ""}`);
      if (!ArrayBuffer.isView(value)) output.push(...fieldsOf(value, depth, indent, (name) => !isIndex(name)));
      return output.length === 0 ? `${opening}]` : together(output, opening, "]", depth, indent, value);
    };

    /** @param {any} value @param {number} depth @param {number} indent @returns {string} */
    const showObject = (value, depth, indent) => {
      const name = kinds.className(value);
      if (Error.isError(value)) return showError(value, depth, indent, name ?? "Error");
      const shallow = depth > maxDepth;
      if (Array.isArray(value)) {
        if (shallow) return "[Array]";
        deepest = depth;
        return showList(
          value,
          depth,
          indent,
          name === "Array" ? "[" : `${name ?? "[Array: null prototype]"}(${value.length}) [`,
        );
      }
      const short = shortForm(value, name);
      if (short !== undefined) return short;
      if (shallow) return `[${name ?? "Object: null prototype"}]`;
      deepest = depth;
      if (ArrayBuffer.isView(value)) {
        const kind = kinds.viewKind(value);
        if (kind !== undefined)
          return showList(value, depth, indent, `${kind}(${/** @type {any} */ (value).length}) [`);
      }
      let opening = name === "Object" ? "{" : `${name ?? "[Object: null prototype]"} {`;
      /** @type {string[]} */
      const output = [];
      const size = kinds.mapSize(value) ?? kinds.setSize(value);
      if (size !== undefined) {
        opening = `${name}(${size}) {`;
        const isMap = kinds.mapSize(value) !== undefined;
        const add = (/** @type {unknown} */ item, /** @type {unknown} */ key) => {
          if (output.length > maxItems || left <= 0) return;
          const shown = show(item, depth + 1, indent + 2);
          output.push(isMap ? `${show(key, depth + 1, indent + 2)} => ${shown}` : shown);
        };
        Reflect.apply(isMap ? Map.prototype.forEach : Set.prototype.forEach, value, [add]);
        if (size > maxItems) output.splice(maxItems, 1, `... ${size - maxItems} more items`);
      }
      output.push(...fieldsOf(value, depth, indent));
      return output.length === 0 ? `${opening}}` : together(output, opening, "}", depth, indent, undefined);
    };

    /** @param {any} value @param {string | undefined} name */
    const shortForm = (value, name) => {
      if (typeof value === "function") {
        const own = typeof value.name === "string" && value.name !== "" ? value.name.slice(0, 100) : "";
        if (kinds.isClass(value)) return own ? `[class ${own}]` : "[class (anonymous)]";
        return own ? `[${name ?? "Function"}: ${own}]` : `[${name ?? "Function"} (anonymous)]`;
      }
      if (name === "Object" || name === undefined) return undefined;
      const time = kinds.timeOf(value);
      if (time !== undefined) return !Number.isNaN(time) ? kinds.isoText(value) : "Invalid Date";
      if (kinds.isRegExp(value)) return kinds.regExpText(value);
      if (isPromise(value)) return `${name} { <not awaited> }`;
      if (kinds.bufferBytes(value) !== undefined) return `${name} { byteLength: ${kinds.bufferBytes(value)} }`;
      const held = kinds.unboxed(value);
      if (held !== undefined) return `[${held.name}: ${primitive(held.inside)}]`;
      return undefined;
    };

    /** @param {any} value @param {number} depth @param {number} indent @param {string} name */
    const showError = (value, depth, indent, name) => {
      const { message, stack } = value;
      const shown = typeof value.name === "string" && value.name !== "Error" ? value.name : name;
      const head =
        message === "" || typeof message !== "string" ? shown : `${shown}: ${message.slice(0, maxCharacters)}`;
      left -= head.length;
      const frame = depth === 0 && typeof stack === "string" ? programFrame(stack) : "";
      const text = frame === "" ? `[${head}]` : `${head}\n${frame}`;
      if (depth > maxDepth) return text;
      deepest = depth;
      const output = fieldsOf(value, depth, indent, (key) => key !== "stack" && key !== "message" && key !== "name");
      return output.length === 0 ? text : together(output, `${text} {`, "}", depth, indent, undefined);
    };

    try {
      return show(root, 0, 0);
    } catch (error) {
      if (Error.isError(error) && error.name === "InternalError") throw error;
      return "[an object that cannot be printed]";
    }
  };

  const asJson = (/** @type {unknown} */ value) => {
    try {
      return JSON.stringify(value);
    } catch {
      return undefined;
    }
  };

  /** As Node's `util.format`. @param {ArrayLike<unknown>} values @param {number} cap */
  const format = (values, cap) => {
    const plain = (/** @type {unknown} */ value) => (typeof value === "string" ? value : inspect(value, cap));
    let text = "";
    let next = 0;
    const first = values[0];
    if (typeof first === "string" && values.length > 1) {
      next = 1;
      text = first.slice(0, cap).replace(/%[sdifjoOc%]/g, (mark) => {
        if (mark === "%%") return "%";
        if (next >= values.length) return mark;
        const value = values[next++];
        if (mark === "%c") return "";
        if (mark === "%s") return typeof value === "bigint" ? `${value}n` : plain(value);
        if (mark === "%d" || mark === "%i" || mark === "%f") {
          if (typeof value === "object" || typeof value === "symbol") return "NaN";
          if (typeof value === "bigint") return `${value}n`;
          const number = mark === "%d" ? Number(value) : Number.parseFloat(`${value}`);
          return mark === "%i" ? `${Math.trunc(number)}` : `${number}`;
        }
        return (mark === "%j" && asJson(value)) || inspect(value, cap);
      });
    }
    for (; next < values.length && text.length < cap; next++) {
      text += (text === "" && next === 0 ? "" : " ") + plain(values[next]);
    }
    return text.slice(0, cap);
  };

  return { format, inspect };
}
