import { createContext, runInContext, runInThisContext } from "node:vm";
import { expect, it } from "vitest";
import { makeLocale } from "../../guest/javascript/realm/locale.mjs";
import { addUrl } from "../../guest/javascript/realm/url.mjs";

// What stands in for the engine's own functions of languages, and for what the engine has not, beside Node's: equal, or a RangeError.

const context = createContext({ TextDecoder });
runInContext(
  `const methods = (${makeLocale})();
  for (const [kind, named] of Object.entries(methods)) {
    const prototype = kind === "Uint8Array" ? Object.getPrototypeOf(Uint8Array.prototype) : globalThis[kind].prototype;
    for (const [name, value] of Object.entries(named)) Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
  }`,
  context,
);
runInContext(`(${addUrl})((name, value) => { globalThis[name] = value; }, () => {})`, context);

const told = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return (error as Error).name;
  }
};

/** Those that differ, and how many were refused. */
function compare(codes: Iterable<string>): { different: unknown[]; refused: number; asked: number } {
  const zone = process.env.TZ ?? "";
  process.env.TZ = "UTC";
  const different: unknown[] = [];
  let refused = 0;
  let asked = 0;
  for (const code of codes) {
    asked++;
    const ours = told(() => runInContext(code, context));
    if (ours === "RangeError") refused++;
    else if (
      !Object.is(
        ours,
        told(() => runInThisContext(code)),
      )
    )
      different.push(code);
  }
  process.env.TZ = zone;
  return { different: different.slice(0, 10), refused, asked };
}

const letters = [
  ..."\t\n _-–—,;:!¡?¿.·'\"«»()[]{}§¶@*/\\&#%‰†‡•`^°©®←→↑↓+±÷×<=>¬|¦~−√∞≈≤≥¢$£¥€019abzþαωабєіјћќџяABZÉéèêëēãåÅøØđħłŁçñüÜďčšžńőűĞşйЙёЁўѓ漢字",
];
let seed = 1;
const random = (below: number): number => {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return seed % below;
};
const word = (): string => Array.from({ length: 1 + random(6) }, () => letters[random(letters.length)]).join("");
const words = function* (): Generator<string> {
  for (let count = 0; count < 3000; count++) {
    const a = random(2) ? word() : word().toLowerCase();
    const b = [word(), a.toUpperCase(), a.normalize("NFD").replace(/[\u0300-\u036f]/g, ""), [...a].reverse().join("")][
      random(4)
    ];
    const options = [
      "",
      ", 'en'",
      ", 'en', { numeric: true }",
      ", [], { sensitivity: 'base' }",
      ", 'en-US', { sensitivity: 'accent', numeric: true }",
      ", undefined, { sensitivity: 'case' }",
    ];
    yield `${JSON.stringify(a)}.localeCompare(${JSON.stringify(b)}${options[random(options.length)]})`;
  }
};

it("should compare texts", () => {
  expect(
    compare(
      letters.flatMap((a) =>
        letters.slice(0, 60).map((b) => `${JSON.stringify(a)}.localeCompare(${JSON.stringify(b)})`),
      ),
    ),
  ).toMatchObject({ different: [], refused: 0 });
  expect(compare(words())).toMatchObject({ different: [], refused: 0 });
});

const numbers =
  "0 -0 1 -1 1234.5 1234567.891 0.0005 1.005 2.5 -2.5 999.9995 1e21 1.5e-7 123456789012345680000 NaN Infinity -Infinity 10n 123456789012345678901234n 99.995 5e-324 -0.0001".split(
    " ",
  );
const currencies = "USD EUR GBP JPY CNY INR KRW BRL CAD AUD NZD MXN HKD CHF SEK NOK DKK PLN CZK SGD ZAR TRY".split(" ");
const numberOptions = [
  "undefined",
  "{ maximumFractionDigits: 0 }",
  "{ minimumFractionDigits: 2 }",
  "{ minimumFractionDigits: 5 }",
  "{ style: 'percent' }",
  "{ style: 'percent', maximumFractionDigits: 1 }",
  "{ useGrouping: false }",
  "{ minimumIntegerDigits: 4 }",
  "{ maximumSignificantDigits: 3 }",
  "{ minimumSignificantDigits: 2, maximumSignificantDigits: 4 }",
  "{ style: 'currency' }",
  "{ minimumFractionDigits: 3, maximumFractionDigits: 1 }",
  "{ maximumFractionDigits: 101 }",
  "{ style: 'currency', currency: 'USD', maximumFractionDigits: 0 }",
  ...currencies.map((currency) => `{ style: 'currency', currency: '${currency}' }`),
];

it("should write numbers", () => {
  const codes = numbers.flatMap((number) =>
    numberOptions.map((options) => `(${number}).toLocaleString('en', ${options})`),
  );
  expect(compare(codes).different).toEqual([]);
  for (const options of [
    "'de-DE'",
    "'en-GB'",
    "'en', { notation: 'compact' }",
    "'en', { style: 'unit', unit: 'liter' }",
    "'en', { style: 'currency', currency: 'XAU' }",
    "['fr', 'en']",
  ]) {
    expect([options, compare([`(1).toLocaleString(${options})`]).refused]).toEqual([options, 1]);
  }
});

/** All choices of some of the parts. */
const choices = (parts: Record<string, unknown[]>): object[] =>
  Object.entries(parts).reduce<object[]>(
    (all, [key, values]) => all.flatMap((one) => [one, ...values.map((value) => ({ ...one, [key]: value }))]),
    [{}],
  );
const lengths = ["full", "long", "medium", "short"];
const plain = ["numeric", "2-digit"];

it("should write dates", () => {
  const options = [
    ...choices({ weekday: ["long", "short"], year: plain, month: [...plain, "long", "short"], day: plain }),
    ...choices({ hour: plain, minute: plain, second: plain, hour12: [true, false] }),
    ...choices({ dateStyle: lengths, timeStyle: lengths, timeZone: ["UTC", "Europe/Berlin"] }),
    ...choices({
      month: ["long", "short", "numeric"],
      day: ["numeric"],
      year: ["numeric"],
      hour: ["numeric"],
      minute: ["2-digit"],
      hourCycle: ["h23"],
    }),
  ];
  const methods = ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"];
  const times = [0, 1704164645000, 951782400000, -1e11];
  const codes = times.flatMap((time) =>
    options.flatMap((each) => methods.map((method) => `new Date(${time}).${method}('en-US', ${JSON.stringify(each)})`)),
  );
  // Node makes a formatter for each.
  const { different, refused, asked } = compare(codes.filter((_, index) => index % 5 === random(5)));
  expect(different).toEqual([]);
  expect(refused).toBeLessThan(asked / 3);
  expect(
    compare([
      "[1234.5, new Date(0), null, 'a'].toLocaleString()",
      "new Float64Array([1234.5]).toLocaleString()",
      "new Date(NaN).toLocaleString()",
      "'ß'.toLocaleUpperCase('en')",
    ]),
  ).toMatchObject({ different: [], refused: 0 });
});

const urls = (
  "https://example.com|HTTP://User:pa ss@EXAMPLE.com:80/a/../b/./c?q=1 2&x='y'#h h|https://a.b:8443/|http://0x7f.1/|http://256.1/|http://a b/|http:///x|https:example.com|//x.y/z|/abs|rel/p|../up|?q|#f||file:///etc/x|file:x|mailto:a@b.c|" +
  "data:text/plain,hi there|foo://Bar/x y|foo:/a/../b|foo:bar/baz|http://a/%7Efoo/%zz?%zz|https://a\\b\\c|  http://x/  |http://x:99999/|http://x:/|http://@x/|http://u@x|http://x/ä?ö#ü|http://x?a=b'|ws://x:80/|http://x/a//b/|http://x/.%2e/a|http://x.|https://x?#"
).split("|");
const setters: Record<string, string[]> = {
  protocol: ["http", "ftp:", "foo"],
  host: ["z.com", "", "a b"],
  port: ["1", "80", "x", ""],
  pathname: ["p q", "/a?b#c"],
  search: ["?a=1 2", "x", ""],
  hash: ["#k k", ""],
  username: ["u:"],
};

it("should read and write addresses", () => {
  const codes = urls.flatMap((url) => {
    const text = JSON.stringify(url);
    const parts = "href origin protocol username password host hostname port pathname search hash".split(" ");
    return [
      ...parts.map((part) => `new URL(${text}).${part}`),
      ...["https://example.com/a/b?c#d", "file:///a/b", "foo://h/p/q"].map(
        (base) => `new URL(${text}, '${base}').href`,
      ),
      ...Object.entries(setters).flatMap(([part, values]) =>
        values.map(
          (value) => `(() => { const u = new URL(${text}); u.${part} = ${JSON.stringify(value)}; return u.href; })()`,
        ),
      ),
      `(() => { const u = new URL(${text}); u.searchParams.append('k', 'v w&é'); u.searchParams.set('q', '2'); return u.href + u.searchParams.size; })()`,
    ];
  });
  const allowed = /foo:\/a/;
  expect(compare(codes.filter((code) => !(allowed.test(code) && /u\.host/.test(code)))).different).toEqual([]);
  expect(
    compare([
      "new URLSearchParams({ a: 1, b: 'x y' }).toString()",
      "new URLSearchParams([['a', '1'], ['a', '2']]).getAll('a').join()",
      "new URLSearchParams('?a=%zz&b=%e4&c=+x&d').toString()",
      "[...new URLSearchParams('b=1&a=2')].join(';')",
      "(() => { const p = new URLSearchParams('b=1&a=2&b=3'); p.sort(); p.delete('b', '1'); return p.toString(); })()",
      'new URLSearchParams("a=!\'()*~-._ ").toString()',
      "JSON.stringify(new URL('http://x/?a=1'))",
    ]),
  ).toMatchObject({ different: [], refused: 0 });
  expect(compare(["new URL('http://ü.de/')", "new URL('http://[::1]/')"]).refused).toBe(2);
});
