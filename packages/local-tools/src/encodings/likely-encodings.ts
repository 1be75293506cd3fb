import { isAscii, isUtf8 } from "node:buffer";
import { closeSync, readSync } from "node:fs";
import { attempt } from "@toolglot/internal";
import { type WalkedFile, walkFiles } from "../files/walk.ts";
import { codecs } from "./codecs.ts";
import { type Encoding, encodingNamed, gb18030 } from "./encodings.ts";

/** Files of a project that are looked at, of each so many bytes, and how long. */
const maxFiles = 200;
const headBytes = 16 * 1024;
const maxMs = 50;
/** So many characters of Chinese are no name by chance. */
const minCharacters = 4;

const windows1252 = encodingNamed("windows-1252") as Encoding;

/** Returns what a text of unknown encoding is tried as: where people write Chinese, Chinese first. */
export function likelyEncodings(isChinese: boolean): readonly Encoding[] {
  return isChinese ? [gb18030, windows1252] : [windows1252, gb18030];
}

/** Checks whether this process speaks Chinese. */
export function isChineseLocale(environment: NodeJS.ProcessEnv = process.env): boolean {
  const { LC_ALL, LC_CTYPE, LANG } = environment;
  const set = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== "");
  return /^zh/i.test(set ?? "") || /^zh/i.test(Intl.DateTimeFormat().resolvedOptions().locale);
}

/** Checks whether the files of a folder that are not in plain ASCII are mostly Chinese. Looks at some of them. */
export function isChineseProject(root: string): boolean {
  let [seen, chinese, other] = [0, 0, 0];
  const until = Date.now() + maxMs;
  const buffer = Buffer.allocUnsafe(headBytes);
  const visit = (file: WalkedFile): boolean => {
    const head = attempt(() => headOf(file, buffer));
    const language = head === undefined ? undefined : languageOf(head);
    if (language === "chinese") chinese++;
    else if (language === "other") other++;
    return ++seen < maxFiles && Date.now() < until;
  };
  const counts = { protectedFiles: 0, ignored: 0, unreadableFolders: 0 };
  walkFiles({ roots: [root], from: root, visit, counts });
  return chinese > other;
}

function headOf({ folder, name }: WalkedFile, buffer: Buffer): Buffer {
  const fd = folder.open(name);
  try {
    return buffer.subarray(0, readSync(fd, buffer, 0, headBytes, 0));
  } finally {
    closeSync(fd);
  }
}

/** Undefined: nothing speaks for any language. */
function languageOf(head: Buffer): "chinese" | "other" | undefined {
  if (head.includes(0) || isAscii(head)) return undefined;
  // Less a character that the end of the sample cuts.
  const lines = head.length < headBytes ? head : head.subarray(0, head.lastIndexOf(0x0a) + 1);
  if (!isUtf8(lines)) {
    const [best] = codecs().chardet.analyse(lines);
    if (best === undefined || best.confidence < 80) return undefined;
    return best.name === gb18030.name || best.name === "Big5" ? "chinese" : "other";
  }
  const text = lines.toString();
  if (/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)) return "other";
  if ((text.match(/\p{Script=Han}/gu)?.length ?? 0) >= minCharacters) return "chinese";
  return /\p{L}/u.test(text.replace(/[\0-\x7f]/g, "")) ? "other" : undefined;
}
