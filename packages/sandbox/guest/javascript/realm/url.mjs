/**
 * `URL` and `URLSearchParams`, for addresses whose hosts are ASCII. They reach nothing. Runs inside the program's realm: its
 * text is taken, so it must not speak of anything outside itself.
 *
 * @param {(name: string, value: unknown) => void} add
 * @param {(holder: object, name: string, least: number) => void} need
 */
export function addUrl(add, need) {
  /** @type {Record<string, string>} */
  const ports = { "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21", "file:": "" };
  const isSpecial = (/** @type {string} */ scheme) => Object.hasOwn(ports, scheme);
  /** @param {string} text @param {RegExp} unsafe */
  const encode = (text, unsafe) =>
    text
      .toWellFormed()
      .replace(unsafe, (found) =>
        encodeURIComponent(found).replace(/^[!'()*~]$/, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`),
      );
  const unsafe = {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is encoded.
    opaque: /[\0-\x1f\x7f-\u{10ffff}]/gu,
    hash: /[\0-\x20"<>`\x7f-\u{10ffff}]/gu,
    query: /[\0-\x20"#<>\x7f-\u{10ffff}]/gu,
    specialQuery: /[\0-\x20"#<>'\x7f-\u{10ffff}]/gu,
    path: /[\0-\x20"#<>?^`{}\x7f-\u{10ffff}]/gu,
    user: /[\0-\x20"#<>?`{}/:;=@[\\\]^|\x7f-\u{10ffff}]/gu,
  };
  const invalid = (/** @type {string} */ text) =>
    Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL", input: text });

  /** @param {string} text @param {string} input */
  const ipv4 = (text, input) => {
    const parts = text.replace(/\.$/, "").split(".");
    if (!/^(\d+|0x[0-9a-f]*)$/i.test(parts.at(-1) ?? "")) return text;
    const numbers = parts.map((part) =>
      /^0x[0-9a-f]*$/i.test(part)
        ? Number.parseInt(part.slice(2) || "0", 16)
        : /^0[0-7]+$/.test(part)
          ? Number.parseInt(part, 8)
          : /^\d+$/.test(part)
            ? Number(part)
            : Number.NaN,
    );
    const last = numbers.pop() ?? Number.NaN;
    if (parts.length > 4 || numbers.some((number) => !(number <= 255)) || !(last < 256 ** (4 - numbers.length)))
      throw invalid(input);
    const whole = numbers.reduce((sum, number, index) => sum + number * 256 ** (3 - index), last);
    return [24, 16, 8, 0].map((shift) => Math.floor(whole / 2 ** shift) % 256).join(".");
  };
  /** @param {string} text @param {boolean} special @param {string} input */
  const readHost = (text, special, input) => {
    if (text.startsWith("[")) throw new RangeError("addresses of IPv6 are not available here: name the host");
    if (!special) {
      if (/[\0\t\n\r #/:<>?@[\\\]^|]/.test(text)) throw invalid(input);
      return encode(text, unsafe.opaque);
    }
    let host = text;
    try {
      host = decodeURIComponent(text).toLowerCase();
    } catch {
      throw invalid(input);
    }
    if (/[^\0-\x7f]/.test(host))
      throw new RangeError("hosts beyond ASCII are not available here: write the host as xn--…");
    if (host === "" || /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/.test(host)) throw invalid(input);
    return ipv4(host, input);
  };
  /** @param {string} path @param {boolean} special */
  const normalPath = (path, special) => {
    const parts = (special ? path.replace(/\\/g, "/") : path).split("/").slice(1);
    /** @type {string[]} */
    const found = [];
    for (const [index, part] of parts.entries()) {
      const plain = part.replace(/%2e/gi, ".");
      if (plain === "..") found.pop();
      if (plain !== ".." && plain !== ".") found.push(encode(part, unsafe.path));
      else if (index === parts.length - 1) found.push("");
    }
    return `/${found.join("/")}`;
  };
  /** What of a text follows a sign, and what stands before it. @param {string} text @param {string} sign @returns {[string, string | undefined]} */
  const cut = (text, sign) => {
    const at = text.indexOf(sign);
    return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  };

  /** @typedef {{ scheme: string, user: string, password: string, host: string | undefined, port: string, path: string, query: string | undefined, hash: string | undefined }} Parts */
  /** @param {string} given @param {Parts | undefined} base @returns {Parts} */
  const parse = (given, base) => {
    const text = given.replace(/^[\0-\x20]+|[\0-\x20]+$/g, "").replace(/[\t\n\r]/g, "");
    const [beforeHash, hash] = cut(text, "#");
    const encodedHash = hash === undefined ? undefined : encode(hash, unsafe.hash);
    const [, named] = /^([a-z][a-z0-9+.-]*:)/i.exec(beforeHash) ?? [];
    let scheme = named?.toLowerCase() ?? "";
    let rest = named === undefined ? beforeHash : beforeHash.slice(named.length);
    // A special scheme without slashes goes on from a base of the same scheme.
    if (base && isSpecial(scheme) && scheme === base.scheme && !/^[/\\]/.test(rest)) scheme = "";
    else if (named !== undefined && scheme === "") rest = beforeHash;
    const relative = scheme === "";
    if (relative && base === undefined) throw invalid(given);
    const from = /** @type {Parts} */ (base);
    if (relative) {
      scheme = from.scheme;
      if (from.path[0] !== "/" && from.host === undefined && (rest !== "" || hash === undefined)) throw invalid(given);
    }
    const special = isSpecial(scheme);
    const [beforeQuery, query] = cut(rest, "?");
    const encodedQuery = query === undefined ? undefined : encode(query, special ? unsafe.specialQuery : unsafe.query);
    const slashes = special ? /^[/\\]{2}/ : /^\/\//;
    const common = { scheme, query: encodedQuery, hash: encodedHash };
    if (relative && !slashes.test(beforeQuery)) {
      const kept = { user: from.user, password: from.password, host: from.host, port: from.port };
      if (beforeQuery === "")
        return { ...common, ...kept, path: from.path, query: query === undefined ? from.query : encodedQuery };
      const isRooted = special ? /^[/\\]/.test(beforeQuery) : beforeQuery.startsWith("/");
      const whole = isRooted ? beforeQuery : from.path.slice(0, from.path.lastIndexOf("/") + 1) + beforeQuery;
      return { ...common, ...kept, path: normalPath(whole, special) };
    }
    const none = { user: "", password: "", port: "" };
    if (!special && !slashes.test(beforeQuery)) {
      const path = beforeQuery.startsWith("/") ? normalPath(beforeQuery, false) : encode(beforeQuery, unsafe.opaque);
      return { ...common, ...none, host: undefined, path };
    }
    const isFile = scheme === "file:";
    const after =
      special && !isFile ? beforeQuery.replace(/^[/\\]*/, "") : slashes.test(beforeQuery) ? beforeQuery.slice(2) : "";
    const end = after.search(special ? /[/\\]/ : /\//);
    const authority = end < 0 ? after : after.slice(0, end);
    const path =
      isFile && !slashes.test(beforeQuery) ? beforeQuery.replace(/^(?![/\\])/, "/") : end < 0 ? "" : after.slice(end);
    const at = authority.lastIndexOf("@");
    const [user, password = ""] = at < 0 ? ["", ""] : cut(authority.slice(0, at), ":");
    const [, name = "", port = ""] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(authority.slice(at + 1)) ?? [];
    if (!/^\d*$/.test(port) || Number(port) > 65535) throw invalid(given);
    const host =
      isFile && (name === "" || name === "localhost")
        ? ""
        : name === "" && !special
          ? ""
          : readHost(name, special, given);
    if (host === "" && (at >= 0 || port !== "")) throw invalid(given);
    const shown = port === "" || `${Number(port)}` === ports[scheme] ? "" : `${Number(port)}`;
    return {
      ...common,
      user: encode(user, unsafe.user),
      password: encode(password, unsafe.user),
      host,
      port: shown,
      path: path === "" && !special ? "" : normalPath(path === "" ? "/" : path, special),
    };
  };
  /** @param {Parts} parts */
  const write = ({ scheme, user, password, host, port, path, query, hash }) => {
    const login = user || password ? `${user}${password && `:${password}`}@` : "";
    const place = host === undefined ? (path.startsWith("//") ? "/." : "") : `//${login}${host}${port && `:${port}`}`;
    return `${scheme}${place}${path}${query === undefined ? "" : `?${query}`}${hash === undefined ? "" : `#${hash}`}`;
  };

  const formEncode = (/** @type {string} */ text) =>
    encodeURIComponent(text.toWellFormed())
      .replace(/%20/g, "+")
      .replace(/[!'()~]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const formDecode = (/** @type {string} */ text) => {
    const spaced = text.replace(/\+/g, " ");
    try {
      return decodeURIComponent(spaced);
    } catch {
      // Of what is no UTF-8, only what is.
      return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
        new /** @type {any} */ (TextDecoder)().decode(
          Uint8Array.from(bytes.slice(1).split("%"), (byte) => Number.parseInt(byte, 16)),
        ),
      );
    }
  };

  class URLSearchParams {
    /** @type {[string, string][]} */
    #pairs = [];
    /** @type {(() => void) | undefined} */
    #changed;
    constructor(/** @type {any} */ init = "") {
      if ((typeof init === "object" && init !== null) || typeof init === "function") {
        const entries = typeof init[Symbol.iterator] === "function" ? [...init] : Object.entries(init);
        this.#pairs = entries.map((pair) => {
          const [name, value, ...more] = [...pair];
          if (pair.length < 2 || more.length > 0)
            throw new TypeError("Each query pair must be an iterable [name, value] tuple");
          return [`${name}`.toWellFormed(), `${value}`.toWellFormed()];
        });
      } else this.#read(`${init ?? ""}`.replace(/^\?/, ""));
    }
    #read(/** @type {string} */ text) {
      const parts = text.split("&").filter((part) => part !== "");
      this.#pairs = parts.map((part) => {
        const [name, value = ""] = cut(part, "=");
        return [formDecode(name), formDecode(value)];
      });
    }
    #change(/** @type {[string, string][]} */ pairs) {
      this.#pairs = pairs;
      this.#changed?.();
    }
    static of(/** @type {string} */ query, /** @type {() => void} */ changed) {
      const made = new URLSearchParams(query);
      made.#changed = changed;
      return { made, read: (/** @type {string} */ text) => made.#read(text) };
    }
    get size() {
      return this.#pairs.length;
    }
    append(/** @type {unknown} */ name, /** @type {unknown} */ value) {
      this.#change([...this.#pairs, [`${name}`, `${value}`]]);
    }
    delete(/** @type {unknown} */ name, /** @type {unknown} */ value) {
      this.#change(
        this.#pairs.filter((pair) => pair[0] !== `${name}` || (value !== undefined && pair[1] !== `${value}`)),
      );
    }
    get(/** @type {unknown} */ name) {
      return this.#pairs.find((pair) => pair[0] === `${name}`)?.[1] ?? null;
    }
    getAll(/** @type {unknown} */ name) {
      return this.#pairs.filter((pair) => pair[0] === `${name}`).map((pair) => pair[1]);
    }
    has(/** @type {unknown} */ name, /** @type {unknown} */ value) {
      return this.#pairs.some((pair) => pair[0] === `${name}` && (value === undefined || pair[1] === `${value}`));
    }
    set(/** @type {unknown} */ name, /** @type {unknown} */ value) {
      const at = this.#pairs.findIndex((pair) => pair[0] === `${name}`);
      if (at < 0) this.append(name, value);
      else
        this.#change(
          this.#pairs.flatMap((pair, index) =>
            index === at ? [[`${name}`, `${value}`]] : pair[0] === `${name}` ? [] : [pair],
          ),
        );
    }
    sort() {
      this.#change([...this.#pairs].sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)));
    }
    forEach(/** @type {any} */ callback, /** @type {unknown} */ self) {
      for (const [name, value] of this.#pairs) callback.call(self, value, name, this);
    }
    *entries() {
      for (const [name, value] of this.#pairs) yield [name, value];
    }
    *keys() {
      for (const [name] of this.#pairs) yield name;
    }
    *values() {
      for (const [, value] of this.#pairs) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return this.#pairs.map(([name, value]) => `${formEncode(name)}=${formEncode(value)}`).join("&");
    }
  }
  const paramsOf = URLSearchParams.of;
  Reflect.deleteProperty(URLSearchParams, "of");

  class URL {
    /** @type {Parts} */
    #parts;
    #params;
    constructor(/** @type {unknown} */ url, /** @type {unknown} */ base) {
      this.#parts = parse(`${url}`, base === undefined ? undefined : parse(`${base}`, undefined));
      this.#params = paramsOf(this.#parts.query ?? "", () => {
        this.#parts.query = `${this.#params.made}` || undefined;
      });
    }
    static canParse(/** @type {unknown} */ url, /** @type {unknown} */ base) {
      return URL.parse(url, base) !== null;
    }
    static parse(/** @type {unknown} */ url, /** @type {unknown} */ base) {
      const texts = [`${url}`, base === undefined ? undefined : `${base}`];
      try {
        return new URL(texts[0], texts[1]);
      } catch (error) {
        if (error instanceof TypeError) return null;
        throw error;
      }
    }
    /** Takes parts of an address from a text in which they stand alone; what makes no sense changes nothing. @param {string} text @param {string[]} names */
    #take(text, names) {
      try {
        const parts = parse(text, this.#parts);
        for (const name of names) /** @type {any} */ (this.#parts)[name] = /** @type {any} */ (parts)[name];
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
      }
    }
    get href() {
      return write(this.#parts);
    }
    set href(url) {
      this.#parts = parse(`${url}`, undefined);
      this.#params.read(this.#parts.query ?? "");
    }
    get origin() {
      const { scheme, host, port } = this.#parts;
      return isSpecial(scheme) && scheme !== "file:" ? `${scheme}//${host}${port && `:${port}`}` : "null";
    }
    get protocol() {
      return this.#parts.scheme;
    }
    set protocol(value) {
      const scheme = `${`${value}`.toLowerCase().replace(/:[\s\S]*$/, "")}:`;
      if (!/^[a-z][a-z0-9+.-]*:$/.test(scheme) || isSpecial(scheme) !== isSpecial(this.#parts.scheme)) return;
      const { scheme: from, host, user, password, port } = this.#parts;
      if ((from === "file:" && host === "") || (scheme === "file:" && (user || password || port))) return;
      this.#parts.scheme = scheme;
      if (this.#parts.port === ports[scheme]) this.#parts.port = "";
    }
    get username() {
      return this.#parts.user;
    }
    set username(value) {
      if (this.#parts.host) this.#parts.user = encode(`${value}`, unsafe.user);
    }
    get password() {
      return this.#parts.password;
    }
    set password(value) {
      if (this.#parts.host) this.#parts.password = encode(`${value}`, unsafe.user);
    }
    get host() {
      const { host = "", port } = this.#parts;
      return `${host}${port && `:${port}`}`;
    }
    set host(value) {
      const { scheme, host, path } = this.#parts;
      if (scheme === "file:" && `${value}`.includes(":")) return;
      if (host !== undefined || path[0] === "/")
        this.#take(`${scheme}//${value}/`, /:\d/.test(`${value}`) ? ["host", "port"] : ["host"]);
    }
    get hostname() {
      return this.#parts.host ?? "";
    }
    set hostname(value) {
      const { host, path } = this.#parts;
      if ((host !== undefined || path[0] === "/") && !`${value}`.includes(":"))
        this.#take(`${this.#parts.scheme}//${value}/`, ["host"]);
    }
    get port() {
      return this.#parts.port;
    }
    set port(value) {
      const [found] = /^\d*/.exec(`${value}`) ?? [""];
      if (this.#parts.host && (found !== "" || `${value}` === ""))
        this.#take(`${this.#parts.scheme}//a:${found}/`, ["port"]);
    }
    get pathname() {
      return this.#parts.path;
    }
    set pathname(value) {
      const isBare = `${value}` === "" && !isSpecial(this.#parts.scheme) && this.#parts.host !== undefined;
      if (isBare) this.#parts.path = "";
      else if (this.#parts.host !== undefined || this.#parts.path[0] === "/")
        this.#parts.path = normalPath(
          `${value}`
            .replace(/^(?![/\\])/, "/")
            .replace(/\?/g, "%3F")
            .replace(/#/g, "%23"),
          isSpecial(this.#parts.scheme),
        );
    }
    get search() {
      return this.#parts.query ? `?${this.#parts.query}` : "";
    }
    set search(value) {
      const text = `${value}`.replace(/^\?/, "");
      this.#parts.query =
        text === "" ? undefined : encode(text, isSpecial(this.#parts.scheme) ? unsafe.specialQuery : unsafe.query);
      this.#params.read(this.#parts.query ?? "");
    }
    get searchParams() {
      return this.#params.made;
    }
    get hash() {
      return this.#parts.hash ? `#${this.#parts.hash}` : "";
    }
    set hash(value) {
      const text = `${value}`.replace(/^#/, "");
      this.#parts.hash = text === "" ? undefined : encode(text, unsafe.hash);
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
  }
  add("URLSearchParams", URLSearchParams);
  add("URL", URL);
  for (const name of ["delete", "get", "getAll", "has", "forEach"]) need(URLSearchParams.prototype, name, 1);
  for (const name of ["append", "set"]) need(URLSearchParams.prototype, name, 2);
  for (const name of ["canParse", "parse"]) need(URL, name, 1);
}
