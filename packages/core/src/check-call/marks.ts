import { asPattern } from "@toolglot/internal";

// Marks of the formats in which models write calls, by their shape: elements by their names, special tokens by how they look.

const bar = "[|｜‖]{1,2}";
/** What formats put before the name of an element: `antml:`, `ifm|`, `｜DSML｜`. */
export const prefix: string = `(?:[\\w.-]{1,40}[:|]|${bar}\\w{1,40}${bar}\\s?)?`;
/** What MiniMax M3 puts before each element. */
const sign = "]<]minimax[>[";

/** Elements of which calls are made, in lower case, one or several; `s` ends a turn. */
const elements: readonly string[] =
  "tool tool_call toolcall call tool_use tool_code function function_call dots_function_call longcat_tool_call longcat_s s invoke param parameter arg_key arg_type arg_value cofl:value"
    .split(" ")
    .flatMap((name) => [name, `${name}s`]);

/** Stands on both sides of a string. */
export const quoteMark = '<\\|"\\|>|<escape>';
export const tokenMark: string =
  `<\\|close\\|>\\w{1,20}<\\|sep\\|>|<(?:start|end)_\\w{1,40}>|` +
  `<(?:${bar}(?:\\w{1,20}\\|)?[^<>|｜‖\\s]{1,60}(?:${bar})?|[\\w/]{1,60}${bar})>`;

/** 1 a quote, 2 a special token, 3 and 4 slash and word in brackets, 5 to 7 slash, prefix and name of an element. */
const anyMark =
  `(${quoteMark})|(${tokenMark})|${asPattern(sign)}|\\[(/?)(TOOL_CALLS?|ARGS)\\]|` +
  `<(/?)\\s{0,9}(${prefix})([\\w.-]{1,100})(?::\\w{0,16})?(?=[\\s=>/])[^<>]{0,400}>`;

/** Takes a closing mark. `unopened`: nothing before it opened what it closes. */
export type TakeCloser = (start: number, end: number, unopened: boolean) => void;

/** Returns whether an element is open behind the closers; without a name, whether the text is about special tokens. */
export type IsOpened = (name?: string) => boolean;

/**
 * Calls back for each closing mark in a text, in their order. Linear.
 *
 * @param own Names of elements, in lower case, that are marks too.
 * @param more Further marks, which nothing opens.
 */
export function closersIn(text: string, own: readonly string[], more: readonly string[], take: TakeCloser): IsOpened {
  /** How many of each name are open; of special tokens, which have none, whether there are any. */
  const depths = new Map<string, number>();
  let quoted = false;
  /** Where special tokens in a row end, the first of the text; `Infinity` behind another one. */
  let row = -1;
  // The engine keeps what it compiled of a text that comes again.
  const marks = new RegExp([anyMark, ...more.map(asPattern)].join("|"), "gi");
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    const [whole, quote, token, bracketSlash, word, slash = bracketSlash, before = "", element = ""] = match;
    const start = match.index;
    const end = start + whole.length;
    let unopened = true;
    if (quote) {
      unopened = !quoted;
      quoted = unopened;
    } else if (token) {
      unopened = row < 0 || (row <= start && text.slice(row, start).trim() === "");
      row = unopened ? end : Infinity;
      depths.set("", 1);
      if (/open|begin|start/.test(token)) continue;
    } else if (word || element) {
      const [space, plain] = [before.toLowerCase(), element.toLowerCase()];
      // What stands behind a colon may be a suffix of the name: `<arg_key:x9>`.
      const names = [plain, space + plain, space.slice(0, -1)];
      const name = word?.toLowerCase() ?? names.find((one) => elements.includes(one) || own.includes(one));
      if (!name) {
        // What is no mark may hold one.
        marks.lastIndex = start + 1;
        continue;
      }
      const depth = depths.get(name) ?? 0;
      if (!slash) {
        if (!whole.endsWith("/>")) depths.set(name, depth + 1);
        continue;
      }
      unopened = !depth;
      if (depth) depths.set(name, depth - 1);
    }
    take(start, end, unopened);
  }
  return (name = "") => (depths.get(name) ?? 0) > 0;
}

const cutToken = /^<(?:[|｜‖][^<>\s]{5,}|tool_call?\|?|end_\w{3,}|escape)$/;
const cutElement = new RegExp(`^</\\s{0,9}${prefix}([\\w.-]*)$`);

/**
 * Whether a text is the beginning of a closing mark of something that is not open: three quarters of it, at least 7 units.
 *
 * @param behind It stands right behind another closer, where `</` and 3 letters do.
 */
export function isCutCloser(cut: string, behind: boolean, own: readonly string[], isOpened: IsOpened): boolean {
  if (cutToken.test(cut) || (cut.length > 9 && sign.startsWith(cut))) return !isOpened();
  const { length } = cut;
  const name = cutElement.exec(cut.toLowerCase().replace(/(_\w+):\w*$/, "$1"))?.[1];
  if (!name || length < (behind ? 5 : 7)) return false;
  return [...elements, ...own].some((one) => {
    const plain = one.replace("cofl:", "");
    const whole = length - name.length + plain.length + 1;
    return (behind || length >= whole * 0.75) && plain.startsWith(name) && !isOpened(one);
  });
}
