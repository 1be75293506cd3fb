import { isSpace } from "@toolglot/internal";
import { readHead, readTag, type Tag, TagEnd } from "../scan/tag.ts";
import { checkTag } from "./report.ts";
import type { Reporter } from "./types.ts";

/** A child element. Offsets are those of the whole text. */
export interface Child {
  tag: Tag;
  raw: string;
  bodyStart: number;
  end: number;
  closed: boolean;
  /** Another closing tag might have been meant. */
  doubtful: boolean;
}

/** What stands in an element that holds elements. */
export interface Inside {
  children: Child[];
  /** The first text between them. */
  stray: { start: number; end: number } | undefined;
}

/** Beyond so many units searched in vain, the first closing tag that fits counts. */
const patience = 65_536;

/** Reads the children of a complete body. A child's body ends like any raw one: `isSibling` decides what fits behind it. */
export function elements(
  body: string,
  offset: number,
  isSibling: (name: string) => boolean,
  reporter: Reporter & { comment?: (text: string, start: number, end: number) => void },
): Inside {
  const inside: Inside = { children: [], stray: undefined };
  const search = new Search(body);
  for (let at = 0; ; ) {
    const next = skipSpace(body, at);
    if (next >= body.length) return inside;
    at = next;
    if (body.startsWith("<!--", at)) {
      const close = search.find("-->", at + 4);
      if (close >= 0) {
        reporter.comment?.(body.slice(at + 4, close).trim(), offset + at, offset + close + 3);
        at = close + 3;
        continue;
      }
    }
    const head = readHead(body, at, true);
    const end = head && head !== "more" ? new TagEnd().find(body, head.end) : -1;
    if (!head || head === "more" || end < 0 || head.closes) {
      const stop = end >= 0 ? end : body.indexOf("<", at + 1);
      const to = stop < 0 ? body.length : stop;
      inside.stray ??= { start: offset + at, end: offset + at + body.slice(at, to).trimEnd().length };
      at = to;
      continue;
    }
    const tag = readTag(body.slice(at, end), head.end - at, offset + at, head);
    checkTag(tag, reporter);
    const child: Child = { tag, raw: "", bodyStart: tag.end, end: tag.end, closed: true, doubtful: false };
    inside.children.push(child);
    at = end;
    if (tag.selfClosing) continue;
    const close = closingTag(body, end, tag.name, isSibling, search);
    if (!close) {
      child.closed = false;
      child.raw = body.slice(end);
      child.end = offset + body.length;
      return inside;
    }
    child.raw = body.slice(end, close.start);
    child.end = offset + close.end;
    at = close.end;
    child.doubtful = close.doubtful;
  }
}

function closingTag(
  body: string,
  from: number,
  name: string,
  isSibling: (name: string) => boolean,
  search: Search,
): { start: number; end: number; doubtful: boolean } | undefined {
  // Nothing is counted any more.
  if (search.spent > patience) return search.closer(name, from);
  let depth = 0;
  let spare = false;
  let doubtful = false;
  let fitting: { start: number; end: number } | undefined;
  let last: { start: number; end: number } | undefined;
  for (let at = body.indexOf("<", from); at >= 0; at = body.indexOf("<", at + 1)) {
    if (body.startsWith("<![CDATA[", at)) {
      const end = search.find("]]>", at);
      if (end >= 0) at = end;
      continue;
    }
    const closes = body.charCodeAt(at + 1) === 47;
    const start = at + (closes ? 2 : 1);
    let end = start + name.length;
    if (body.slice(start, end).toLowerCase() !== name) continue;
    if (!closes) {
      if (body.charCodeAt(end) === 62 || /^(?:\s[^<>]{0,300})?(?<!\/)>/.test(body.slice(end, end + 302))) {
        doubtful ||= spare && depth === 0;
        depth += 1;
      }
      continue;
    }
    end = skipSpace(body, end);
    if (body.charCodeAt(end) !== 62) continue;
    last = { start: at, end: end + 1 };
    const fits = fitsBehind(body, end + 1, isSibling, search);
    if (fits && depth === 0) return { ...last, doubtful };
    if (depth > 0) {
      depth -= 1;
      if (fits) fitting ??= last;
    } else spare = true;
  }
  search.spent += body.length - from;
  const found = fitting ?? last;
  return found && { ...found, doubtful };
}

/** Whether the end or a sibling comes next, comments apart. */
function fitsBehind(body: string, from: number, isSibling: (name: string) => boolean, search: Search): boolean {
  for (let at = from; ; ) {
    at = skipSpace(body, at);
    if (at >= body.length) return true;
    if (!body.startsWith("<!--", at)) {
      const head = readHead(body, at, true);
      return head !== undefined && head !== "more" && !head.closes && isSibling(head.name.toLowerCase());
    }
    const close = search.find("-->", at);
    if (close < 0) return false;
    at = close + 3;
  }
}

/** What is known of a body, so that nothing in it is searched for twice. */
class Search {
  readonly #body: string;
  /** Stretches in which a mark does not stand: where each begins, and where it ends with the mark, or with the body. */
  readonly #empty = new Map<string, { from: number; next: number }>();
  /** Closing tags by name, in order, and how many of them were passed; made when they are asked for. */
  #closers: Map<string, { passed: number; tags: { start: number; end: number }[] }> | undefined;
  /** Units searched in vain. */
  spent = 0;

  constructor(body: string) {
    this.#body = body;
  }

  /** Returns the index of the next mark; negative when there is none. */
  find(mark: string, from: number): number {
    const known = this.#empty.get(mark);
    if (known && from >= known.from && (known.next < 0 || from <= known.next)) return known.next;
    const next = this.#body.indexOf(mark, from);
    this.#empty.set(mark, { from, next });
    return next;
  }

  /** Returns the first closing tag of a name behind an index. */
  closer(name: string, from: number): { start: number; end: number; doubtful: boolean } | undefined {
    if (!this.#closers) {
      this.#closers = new Map();
      for (const { 0: found, 1: tag = "", index } of this.#body.matchAll(/<\/([^\s<>/]+)\s*>/g)) {
        const key = tag.toLowerCase();
        const known = this.#closers.get(key) ?? { passed: 0, tags: [] };
        this.#closers.set(key, known);
        known.tags.push({ start: index, end: index + found.length });
      }
    }
    const known = this.#closers.get(name);
    if (!known) return undefined;
    // Asked in order, so that those that were passed are never needed again.
    let tag = known.tags[known.passed];
    while (tag && tag.start < from) tag = known.tags[++known.passed];
    return tag && { ...tag, doubtful: false };
  }
}

function skipSpace(text: string, at: number): number {
  let next = at;
  while (isSpace(text.charCodeAt(next))) next += 1;
  return next;
}
