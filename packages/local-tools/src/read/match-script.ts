/**
 * What runs in the thread that searches: a thread of its own, since an expression can take for ever on a single line, and nothing else ends
 * that. It's given as text so that it needs no file beside the bundle.
 *
 * A file comes in pieces. Whole lines are searched as they come, and what is left is carried on to the next piece. A line of more than
 * `longest` units is searched in parts that overlap: texts are found all the same, matches of expressions when they are no longer than the
 * overlap. `^` fits at a line's beginning only, and `$` at its end, also then.
 */
export const matchScript: string = String.raw`
"use strict";
const { parentPort, workerData } = require("node:worker_threads");
const { pattern, maxLines, maxLine } = workerData;
const { literal, needles } = pattern;
const longest = 1 << 20;
const overlap = 1 << 16;
/** Stands for the rest of a line that goes on. */
const more = "\uffff";
const regex = literal === undefined ? new RegExp(pattern.source, pattern.flags + "g") : undefined;
const sure = regex !== undefined && !pattern.flags.includes("i") ? needles : undefined;
const lineEnds = literal === undefined ? 0 : literal.split("\n").length - 1;

function around(line, start, end, before, after) {
  if (line.length <= maxLine) return (before ? "…" : "") + line + (after ? "…" : "");
  const room = Math.max(0, maxLine - (end - start));
  let from = Math.max(0, Math.min(start - Math.floor(room / 3), line.length - maxLine));
  let to = Math.min(line.length, from + maxLine);
  if (from > 0 && /[\udc00-\udfff]/.test(line[from])) from++;
  if (to < line.length && /[\ud800-\udbff]/.test(line[to - 1])) to--;
  return (from > 0 || before ? "…" : "") + line.slice(from, to) + (to < line.length || after ? "…" : "");
}

let file;
function begin() {
  file = {
    decoder: new TextDecoder(),
    found: { count: 0, lines: [], doubtful: false, inParts: false },
    carriageReturn: "",
    // What is carried on, its first line's number, whether that line began before it, and whether it was found already.
    text: "",
    number: 1,
    inLine: false,
    hit: false,
    replaced: false,
    // The last bytes of the piece before.
    before: Buffer.alloc(0),
  };
}
begin();

/** Where the part of a text ends that can be searched now: what is behind it may go on. */
function searchable(text, last) {
  if (last) return text.length;
  let cut = text.length + 1;
  for (let n = 0; n <= lineEnds && cut > 0; n++) cut = cut < 2 ? 0 : text.lastIndexOf("\n", cut - 2) + 1;
  if (text.length - cut <= longest) return cut;
  cut = text.length - overlap;
  return /[\udc00-\udfff]/.test(text[cut]) ? cut - 1 : cut;
}

function search(text, cut, last) {
  const { found } = file;
  let counted = 0;
  let hitAt = file.hit ? 0 : -1;
  const lineAt = (position) => {
    for (let at = text.indexOf("\n", counted); at !== -1 && at < position; at = text.indexOf("\n", counted)) {
      file.number++;
      counted = at + 1;
    }
    return file.number;
  };
  const lineFrom = (start) => {
    const end = text.indexOf("\n", start);
    return end === -1 ? text.length : end;
  };
  const begins = (start) => start > 0 || !file.inLine;
  const goesOn = (end) => end === text.length && !last;
  const add = (start, end, from, to) => {
    hitAt = start;
    found.count++;
    if (found.lines.length >= maxLines) return;
    const shown = around(text.slice(start, end), from - start, to - start, !begins(start), goesOn(end));
    found.lines.push({ line: lineAt(start), text: shown });
  };
  const test = (start, end) => {
    if (start === hitAt) return;
    const open = goesOn(end);
    if (open || !begins(start)) found.inParts = true;
    regex.lastIndex = begins(start) ? 0 : 1;
    const match = regex.exec(text.slice(start, end) + (open ? more : ""));
    if (match !== null) add(start, end, start + match.index, Math.min(end, start + match.index + match[0].length));
  };
  const next = (start) => {
    if (regex === undefined) return text.indexOf(literal, start);
    if (sure.length === 1) return text.indexOf(sure[0], start);
    let nearest = -1;
    for (const needle of sure) {
      const at = text.indexOf(needle, start);
      if (at !== -1 && (nearest === -1 || at < nearest)) nearest = at;
    }
    return nearest;
  };
  if (regex !== undefined && (sure === undefined || sure.length > 3)) {
    if (sure === undefined || sure.some((needle) => text.includes(needle))) {
      for (let start = 0; start < cut; ) {
        const end = lineFrom(start);
        test(start, end);
        start = end + 1;
      }
    }
  } else {
    for (let at = next(0); at !== -1 && at < cut; ) {
      const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
      const end = lineFrom(at);
      if (regex !== undefined) test(start, end);
      else if (start !== hitAt) add(start, end, at, Math.min(end, at + literal.length));
      at = end >= text.length ? -1 : next(end + 1);
    }
  }
  if (last) return;
  const lineStart = cut === 0 ? 0 : text.lastIndexOf("\n", cut - 1) + 1;
  file.hit = hitAt === lineStart && cut > lineStart;
  file.inLine = cut > lineStart || (cut === 0 && file.inLine);
  // Nobody asks for the numbers of lines that are not shown.
  if (found.lines.length < maxLines) lineAt(cut);
}

/** Bytes of which every line that fits holds some; undefined where that isn't sure. */
const plain = literal === undefined ? sure : /^[ -~\t]+$/.test(literal) ? [literal] : undefined;
const sureBytes = plain?.map((text) => Buffer.from(text));
const mostBytes = Math.max(0, ...(sureBytes ?? []).map((one) => one.length - 1));

/** Goes past a piece that plainly holds nothing: only its lines are counted, and what follows its last line end is carried on. */
function passed(bytes, last) {
  const has = (where) => sureBytes.some((one) => where.includes(one));
  const end = bytes.lastIndexOf(10) + 1;
  const { before } = file;
  file.before = Buffer.from(bytes.subarray(Math.max(0, bytes.length - mostBytes)));
  if (sureBytes === undefined || last || end === 0 || mostBytes > bytes.length || plain.some((text) => file.text.includes(text))) return false;
  if (has(bytes) || has(Buffer.concat([before, bytes.subarray(0, mostBytes)]))) return false;
  if (file.found.lines.length < maxLines) for (let at = 0; at < end; at++) if (bytes[at] === 10) file.number++;
  file.decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let rest = file.decoder.decode(bytes.subarray(end), { stream: true });
  file.carriageReturn = rest.endsWith("\r") ? "\r" : "";
  if (file.carriageReturn !== "") rest = rest.slice(0, -1);
  file.text = rest;
  file.inLine = file.hit = false;
  return true;
}

const replacement = Buffer.from("\ufffd");
function doubtful(text) {
  if (literal !== undefined) return /[^\0-\x7f]/.test(literal);
  return sure === undefined || sure.some((needle) => text.includes(needle));
}

parentPort.on("message", ({ bytes, last }) => {
  try {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (passed(piece, last)) {
      parentPort.postMessage({ count: 0, lines: [] });
      return;
    }
    let fresh = file.carriageReturn + file.decoder.decode(bytes, { stream: !last });
    if (fresh.includes("\ufffd") && !piece.includes(replacement)) {
      file.replaced = true;
    }
    file.carriageReturn = !last && fresh.endsWith("\r") ? "\r" : "";
    if (file.carriageReturn !== "") fresh = fresh.slice(0, -1);
    const text = file.text + fresh.replaceAll("\r\n", "\n");
    if (file.replaced) file.found.doubtful ||= doubtful(text);
    const cut = searchable(text, last);
    search(text, cut, last);
    file.text = text.slice(cut);
    parentPort.postMessage(last ? file.found : { count: 0, lines: [] });
  } catch (error) {
    last = true;
    parentPort.postMessage({ failed: String(error && error.message) });
  }
  if (last) begin();
});
`;
