/**
 * Makes functions that depend on a language, in place of the engine's, which has no data for any and answers as for none. They
 * know English as it is written in the United States, and refuse every other language and option. Runs inside the
 * program's realm: its text is taken, so it must not speak of anything outside itself.
 */
export function makeLocale() {
  const refuse = (/** @type {string} */ what, /** @type {string} */ cure) => {
    throw new RangeError(`${what} is not available here: ${cure}`);
  };
  /** @param {unknown} locales */
  const checkLocale = (locales) => {
    for (const locale of Array.isArray(locales) ? locales : [locales]) {
      if (locale !== undefined && !/^en(-US)?$/i.test(`${locale}`))
        refuse(`the language ${locale}`, "there is English alone, as en or en-US");
    }
  };
  /**
   * The options that are given; a RangeError for others, and for values that are none of theirs.
   * @param {any} options @param {Record<string, readonly unknown[]>} known Empty: any value.
   */
  const optionsOf = (options, known) => {
    /** @type {Record<string, any>} */
    const found = {};
    for (const key in options ?? {}) {
      if (options[key] === undefined) continue;
      if (!Object.hasOwn(known, key)) refuse(`the option ${key}`, `there are ${Object.keys(known).join(", ")}`);
      const values = known[key] ?? [];
      if (values.length > 0 && !values.includes(options[key]))
        refuse(`${key}: ${options[key]}`, `there is ${values.join(", ")}`);
      found[key] = options[key];
    }
    return found;
  };
  const count = (
    /** @type {string} */ name,
    /** @type {unknown} */ value,
    /** @type {number} */ least,
    /** @type {number} */ most,
  ) => {
    const number = Math.floor(Number(value));
    if (!(number >= least && number <= most)) throw new RangeError(`${name} value is out of range.`);
    return number;
  };

  // --- texts ---

  const letters =
    "\t\n\v\f\r _-–—,;:!¡?¿.·'\"«»()[]{}§¶@*/\\&#%‰†‡•`^°©®←→↑↓+±÷×<=>¬|¦~−√∞≈≤≥¢$£¥€0123456789" +
    "abcdefghijklmnopqrstuvwxyzþαβγδεζηθικλμνξοπρστυφχψωабвгдеєжзиійјклмнопрстћуфхцчџшщъыьэюя";
  /** As their letters differ when all else is equal. */
  const marks =
    "\u0332\u0313\u0343\u0314\u0301\u0341\u0300\u0340\u0306\u0302\u030c\u030a\u0342\u0308\u0344\u030b\u0303\u0307\u0338\u0327\u0328\u0304\u0335\u0309\u0311\u031b\u0323";
  const places = new Map([...letters].map((letter, index) => [letter, index + 1]));
  const weights = new Map([...marks].map((mark, index) => [mark, index + 1]));
  /** Letters that are others with a stroke. */
  const strokes = new Map([
    ["ø", "o\u0338"],
    ["đ", "d\u0335"],
    ["ħ", "h\u0335"],
    ["ł", "l\u0335"],
  ]);

  /** Of each letter: its place, its marks, and whether it is a capital. @param {string} text @param {boolean} numeric */
  const elements = (text, numeric) => {
    const found = [];
    const parts = text.normalize("NFD").match(numeric ? /[0-9]+|и\u0306|[\s\S]/giu : /и\u0306|[\s\S]/giu) ?? [];
    for (const part of parts) {
      const lower = part.toLowerCase();
      const weight = weights.get(part);
      const last = found.at(-1);
      if (weight !== undefined && last !== undefined) {
        last.marks.push(weight);
        continue;
      }
      const [letter = "", stroke] = [...(strokes.get(lower) ?? lower.normalize("NFC"))];
      const code = letter.codePointAt(0) ?? 0;
      const isHan = code >= 0x4e00 && code <= 0x9fff;
      const digits = numeric && code >= 48 && code <= 57 ? part.replace(/^0+(?=.)/, "") : "";
      const place = isHan ? code : places.get(letter);
      if (place === undefined) {
        refuse(
          `comparing ${JSON.stringify(part)} as people do`,
          "there are Latin, Greek, Cyrillic and Chinese letters, and common signs; compare with < and >",
        );
      }
      found.push({
        place: Number(place),
        digits,
        marks: stroke ? [Number(weights.get(stroke))] : [],
        capital: lower !== part,
      });
    }
    return found;
  };
  const compareMarks = (/** @type {number[]} */ a, /** @type {number[]} */ b) => {
    for (let index = 0; index < Math.max(a.length, b.length); index++) {
      const by = (a[index] ?? 0) - (b[index] ?? 0);
      if (by !== 0) return Math.sign(by);
    }
    return 0;
  };
  const zero = "0".charCodeAt(0) && Number(places.get("0"));

  /** @param {string} a @param {string} b @param {string} sensitivity @param {boolean} numeric */
  const compare = (a, b, sensitivity, numeric) => {
    if (a === b) return 0;
    const [left, right] = [elements(a, numeric), elements(b, numeric)];
    const primary = (/** @type {any} */ one, /** @type {any} */ other) => {
      if (one.digits === "" || other.digits === "")
        return (one.digits ? zero : one.place) - (other.digits ? zero : other.place);
      return (
        one.digits.length - other.digits.length || (one.digits < other.digits ? -1 : one.digits > other.digits ? 1 : 0)
      );
    };
    const levels = [
      primary,
      (/** @type {any} */ one, /** @type {any} */ other) => compareMarks(one.marks, other.marks),
      (/** @type {any} */ one, /** @type {any} */ other) => one.capital - other.capital,
    ];
    const looked = { base: [0], accent: [0, 1], case: [0, 2], variant: [0, 1, 2] }[sensitivity] ?? [];
    for (const level of looked) {
      for (let index = 0; index < Math.min(left.length, right.length); index++) {
        const by = /** @type {any} */ (levels[level])(left[index], right[index]);
        if (by !== 0) return Math.sign(by);
      }
      if (level === 0 && left.length !== right.length) return Math.sign(left.length - right.length);
    }
    return 0;
  };

  const collation = {
    usage: ["sort"],
    sensitivity: ["base", "accent", "case", "variant"],
    numeric: [true, false],
    ignorePunctuation: [false],
    caseFirst: ["false"],
  };
  const { toLowerCase, toUpperCase } = String.prototype;
  const textMethods = {
    /** @this {unknown} @param {unknown} that @param {unknown} [locales] @param {unknown} [options] */
    localeCompare(that, locales, options) {
      if (this === undefined || this === null) throw new TypeError("localeCompare is called on a text");
      checkLocale(locales);
      const { sensitivity = "variant", numeric = false } = optionsOf(options, collation);
      return compare(`${this}`, `${that}`, sensitivity, numeric);
    },
    /** @this {unknown} @param {unknown} [locales] */
    toLocaleLowerCase(locales) {
      checkLocale(locales);
      return Reflect.apply(toLowerCase, this, []);
    },
    /** @this {unknown} @param {unknown} [locales] */
    toLocaleUpperCase(locales) {
      checkLocale(locales);
      return Reflect.apply(toUpperCase, this, []);
    },
  };

  // --- numbers ---

  /** What stands before an amount, and digits after its point where they are not two. @type {Record<string, [string, number?]>} */
  const currencies = {
    USD: ["$"], EUR: ["€"], GBP: ["£"], JPY: ["¥", 0], CNY: ["CN¥"], INR: ["₹"], KRW: ["₩", 0], BRL: ["R$"], CAD: ["CA$"],
    AUD: ["A$"], NZD: ["NZ$"], MXN: ["MX$"], HKD: ["HK$"], CHF: ["CHF\u00a0"], SEK: ["SEK\u00a0"], NOK: ["NOK\u00a0"],
    DKK: ["DKK\u00a0"], PLN: ["PLN\u00a0"], CZK: ["CZK\u00a0"], SGD: ["SGD\u00a0"], ZAR: ["ZAR\u00a0"], TRY: ["TRY\u00a0"],
  }; // biome-ignore format: a table
  const numberOptions = {
    style: ["decimal", "percent", "currency"],
    currency: Object.keys(currencies),
    useGrouping: [true, false, "always", "auto", "true", "false"],
    minimumIntegerDigits: [],
    minimumFractionDigits: [],
    maximumFractionDigits: [],
    minimumSignificantDigits: [],
    maximumSignificantDigits: [],
    notation: ["standard"],
    signDisplay: ["auto"],
    currencyDisplay: ["symbol"],
    numberingSystem: ["latn"],
  };

  /** The digits of a finite number that is not negative, and how many stand before its point. @param {number | bigint} value */
  const digitsOf = (value) => {
    const [mantissa = "", exponent = "0"] = `${value}`.split("e");
    const [whole = "", rest = ""] = mantissa.split(".");
    const all = whole + rest;
    const digits = all.replace(/^0+/, "");
    return { digits, point: digits === "" ? 0 : whole.length + Number(exponent) - (all.length - digits.length) };
  };

  /** Rounded half away from zero. @param {{ digits: string, point: number }} number @param {number} kept Digits that stay; may be negative. */
  const rounded = ({ digits, point }, kept) => {
    if (kept >= digits.length) return { digits, point };
    if (kept < 0) return { digits: "", point: 0 };
    const cut = digits.slice(0, kept);
    if ((digits[kept] ?? "0") < "5") return { digits: cut, point };
    const up = `${BigInt(cut === "" ? "0" : cut) + 1n}`.padStart(cut.length, "0");
    return { digits: up, point: point + up.length - cut.length };
  };

  /** @param {number | bigint} value @param {unknown} locales @param {unknown} given */
  const formatNumber = (value, locales, given) => {
    checkLocale(locales);
    const options = optionsOf(given, numberOptions);
    const { style = "decimal", currency, useGrouping = true } = options;
    if (style === "currency" && currency === undefined)
      throw new TypeError("Currency code is required with currency style.");
    const [symbol = "", places = 2] = style === "currency" ? (currencies[currency] ?? []) : [];
    const standard = style === "currency" ? [places, places] : style === "percent" ? [0, 0] : [0, 3];
    let { minimumFractionDigits: least, maximumFractionDigits: most } = options;
    if (least !== undefined) least = count("minimumFractionDigits", least, 0, 100);
    if (most !== undefined) most = count("maximumFractionDigits", most, 0, 100);
    least ??= Math.min(standard[0] ?? 0, most ?? 100);
    most ??= Math.max(standard[1] ?? 0, least);
    if (least > most) throw new RangeError("maximumFractionDigits value is out of range.");
    const isNegative = value < 0 || Object.is(value, -0);
    const sign = isNegative ? "-" : "";
    const bare = symbol.replace("\u00a0", "");
    if (Number.isNaN(value)) return `${bare}NaN${style === "percent" ? "%" : ""}`;
    if (value === Infinity || value === -Infinity) return `${sign}${bare}∞${style === "percent" ? "%" : ""}`;
    let number = digitsOf(isNegative ? -value : value);
    if (style === "percent" && number.digits !== "") number = { ...number, point: number.point + 2 };
    const { minimumSignificantDigits, maximumSignificantDigits } = options;
    if (minimumSignificantDigits !== undefined || maximumSignificantDigits !== undefined) {
      const fewest = count("minimumSignificantDigits", minimumSignificantDigits ?? 1, 1, 21);
      const kept = count("maximumSignificantDigits", maximumSignificantDigits ?? 21, fewest, 21);
      number = rounded(number, kept);
      most = Math.max(0, number.digits.length - number.point);
      least = Math.max(0, fewest - (number.digits === "" ? 1 : number.point));
    } else number = rounded(number, number.point + most);
    const { digits, point } = number;
    let whole = point <= 0 ? "0" : digits.slice(0, point).padEnd(point, "0");
    whole = whole.padStart(count("minimumIntegerDigits", options.minimumIntegerDigits ?? 1, 1, 21), "0");
    const rest = ("0".repeat(Math.max(0, -point)) + digits.slice(Math.max(0, point)))
      .replace(/0+$/, "")
      .padEnd(least, "0");
    if (`${useGrouping}` !== "false") whole = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return `${sign}${symbol}${whole}${rest === "" ? "" : `.${rest}`}${style === "percent" ? "%" : ""}`;
  };
  const numberOf = Number.prototype.valueOf;
  const bigintOf = BigInt.prototype.valueOf;
  /** @param {(value: any) => any} inside */
  const numberMethod = (inside) => ({
    /** @this {unknown} @param {unknown} [locales] @param {unknown} [options] */
    toLocaleString(locales, options) {
      return formatNumber(inside(this), locales, options);
    },
  });

  // --- dates ---

  const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
  const months = "January February March April May June July August September October November December".split(" ");
  const dateOptions = {
    dateStyle: ["full", "long", "medium", "short"],
    timeStyle: ["medium", "short"],
    weekday: ["long", "short"],
    year: ["numeric", "2-digit"],
    month: ["numeric", "2-digit", "long", "short"],
    day: ["numeric", "2-digit"],
    hour: ["numeric", "2-digit"],
    minute: ["numeric", "2-digit"],
    second: ["numeric", "2-digit"],
    hour12: [true, false],
    hourCycle: ["h12", "h23"],
    timeZone: ["UTC"],
    calendar: ["gregory"],
    numberingSystem: ["latn"],
  };
  const two = (/** @type {number} */ number) => `${number}`.padStart(2, "0");
  const styles = /** @type {Record<string, object>} */ ({
    full: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
    long: { year: "numeric", month: "long", day: "numeric" },
    medium: { year: "numeric", month: "short", day: "numeric" },
    short: { year: "2-digit", month: "numeric", day: "numeric" },
  });

  /** @param {Date} date @param {any} parts */
  const dateText = (date, { weekday, year, month, day }) => {
    const number = (/** @type {string | undefined} */ how, /** @type {number} */ value) =>
      how === "2-digit" ? two(value) : how && `${value}`;
    const y = date.getUTCFullYear();
    if (y < 1 && year) refuse("a year before 1", "write it by hand");
    const yearText = year === "2-digit" ? two(y % 100) : year && `${y}`;
    const name = days[date.getUTCDay()] ?? "";
    const weekdayText = weekday === "short" ? name.slice(0, 3) : weekday && name;
    const dayText = number(day, date.getUTCDate());
    const isNamed = month === "long" || month === "short";
    if (!isNamed) {
      const numbers = [number(month, date.getUTCMonth() + 1), dayText, yearText].filter(Boolean);
      if (weekdayText && numbers.length > 0 && !(month && day))
        refuse("a weekday beside these parts", "give month and day with it");
      if (numbers.length > 1 && !month) refuse("a day and a year without a month", "give a month with them");
      return [weekdayText, numbers.join("/")].filter(Boolean).join(", ");
    }
    const monthName = months[date.getUTCMonth()] ?? "";
    const monthText = month === "short" ? monthName.slice(0, 3) : monthName;
    if (weekdayText && !dayText) refuse("a weekday without a day", "give the day with it");
    const dated = dayText ? `${monthText} ${dayText}` : monthText;
    const whole = weekdayText ? `${weekdayText}, ${dated}` : dated;
    return yearText ? `${whole}${dayText ? "," : ""} ${yearText}` : whole;
  };

  /** @param {Date} date @param {any} parts */
  const timeText = (date, { hour, minute, second, hour12, hourCycle }) => {
    if (!hour) {
      const found = [minute && date.getUTCMinutes(), second && date.getUTCSeconds()].filter(
        (part) => part !== undefined,
      );
      return found.length > 1 ? found.map(two).join(":") : `${found[0]}`;
    }
    if (second && !minute) refuse("hours and seconds without minutes", "give the minutes with them");
    const isShort = hour12 ?? hourCycle !== "h23";
    const hours = date.getUTCHours();
    // As Node has it, where that was asked for.
    const shown = isShort ? hours % 12 || 12 : hours || (hour12 === false ? 24 : 0);
    const first = hour === "2-digit" || !isShort ? two(shown) : `${shown}`;
    const rest = [minute && two(date.getUTCMinutes()), second && two(date.getUTCSeconds())].filter(Boolean);
    return [first, ...rest].join(":") + (isShort ? ` ${hours < 12 ? "AM" : "PM"}` : "");
  };

  /** @param {any} date @param {unknown} locales @param {unknown} given @param {"date" | "time" | "any"} wanted */
  const formatDate = (date, locales, given, wanted) => {
    checkLocale(locales);
    const options = optionsOf(given, dateOptions);
    const time = Reflect.apply(timeOf, date, []);
    const has = (/** @type {string[]} */ names) => names.some((name) => options[name] !== undefined);
    const dateNames = ["weekday", "year", "month", "day"];
    const timeNames = ["hour", "minute", "second"];
    const { dateStyle, timeStyle } = options;
    if ((dateStyle || timeStyle) && has([...dateNames, ...timeNames]))
      throw new TypeError("Can't set option when dateStyle or timeStyle is used");
    if ((dateStyle && wanted === "time") || (timeStyle && wanted === "date"))
      throw new TypeError(`Invalid option : ${dateStyle ? "dateStyle" : "timeStyle"}`);
    if (Number.isNaN(time)) return "Invalid Date";
    const at = new OwnDate(time);
    /** @type {any} */
    let parts = { ...options, ...(dateStyle && styles[dateStyle]) };
    if (timeStyle)
      parts = { ...parts, hour: "numeric", minute: "2-digit", ...(timeStyle === "medium" && { second: "2-digit" }) };
    const needsDate = wanted !== "time" && !has(dateNames) && !(wanted === "any" && has(timeNames));
    const needsTime = wanted !== "date" && !has(timeNames) && !(wanted === "any" && has(dateNames));
    if (!dateStyle && !timeStyle) {
      if (needsDate) parts = { ...parts, year: "numeric", month: "numeric", day: "numeric" };
      if (needsTime) parts = { ...parts, hour: "numeric", minute: "2-digit", second: "2-digit" };
    }
    const shown = dateNames.some((name) => parts[name]) ? dateText(at, parts) : "";
    const clock = timeNames.some((name) => parts[name]) ? timeText(at, parts) : "";
    const isLong = dateStyle ? dateStyle === "full" || dateStyle === "long" : parts.month === "long";
    const isBare = parts.weekday && !parts.year && !parts.month && !parts.day;
    return [shown, clock].filter(Boolean).join(isLong ? " at " : isBare ? " " : ", ");
  };
  const OwnDate = Date;
  const timeOf = Date.prototype.getTime;
  const dateMethods = {
    /** @this {unknown} @param {unknown} [locales] @param {unknown} [options] */
    toLocaleString(locales, options) {
      return formatDate(this, locales, options, "any");
    },
    /** @this {unknown} @param {unknown} [locales] @param {unknown} [options] */
    toLocaleDateString(locales, options) {
      return formatDate(this, locales, options, "date");
    },
    /** @this {unknown} @param {unknown} [locales] @param {unknown} [options] */
    toLocaleTimeString(locales, options) {
      return formatDate(this, locales, options, "time");
    },
  };

  const listMethods = {
    /** @this {any} @param {unknown} [locales] @param {unknown} [options] */
    toLocaleString(locales, options) {
      const items = [];
      for (let index = 0; index < this.length; index++) {
        const item = this[index];
        items.push(item === undefined || item === null ? "" : item.toLocaleString(locales, options));
      }
      return items.join(",");
    },
  };

  const numberMethods = numberMethod((value) => Reflect.apply(numberOf, value, []));
  const bigintMethods = numberMethod((value) => Reflect.apply(bigintOf, value, []));
  return {
    String: textMethods,
    Number: numberMethods,
    BigInt: bigintMethods,
    Date: dateMethods,
    Array: listMethods,
    Uint8Array: listMethods,
  };
}
