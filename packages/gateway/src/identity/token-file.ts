import { ToolglotError } from "@toolglot/core";
import {
  makePrivateFolder,
  readPrivateFile,
  takeLock,
  thisOwner,
  type WrongFile,
  writePrivateFile,
} from "@toolglot/internal/node";
import * as v from "valibot";
import type { TokenInfo } from "./types.ts";

/** A token as the file has it. */
export interface TokenRecord extends TokenInfo {
  /** `sha256:` and the hex digest of the whole token. */
  hash: string;
}

const name = v.pipe(v.string(), v.nonEmpty(), v.maxLength(512));
const time = v.pipe(
  v.string(),
  v.check((text) => !Number.isNaN(Date.parse(text)), "must be a time of ISO 8601, as 2026-12-31T00:00:00Z"),
);
const record = v.strictObject({
  id: v.pipe(v.string(), v.regex(/^[a-z2-7]{8}$/, "must be eight letters of base32")),
  hash: v.pipe(v.string(), v.regex(/^sha256:[0-9a-f]{64}$/, "must be sha256: and 64 hexadecimal digits")),
  principal: name,
  tenant: v.optional(name, "default"),
  roles: v.optional(v.array(name), []),
  canDelete: v.optional(v.boolean(), false),
  elicitation: v.optional(v.boolean(), true),
  lenientHeaders: v.optional(v.boolean()),
  createdAt: time,
  expiresAt: v.optional(time),
  revokedAt: v.optional(time),
});

const wrongMode: WrongFile = (message, path, cause) =>
  new ToolglotError("config/mode", message, { data: { path }, cause });

/** Reads the tokens of a file; none when there is no file. Rejects with `config/mode`, `config/syntax` or `config/value`. */
export async function readTokenFile(path: string): Promise<TokenRecord[]> {
  const text = await readPrivateFile(path, wrongMode);
  if (text === undefined) return [];
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    // The message of the parser quotes the text.
    throw new ToolglotError("config/syntax", `${path} is not JSON. Nobody is let in until it is mended.`, {
      data: { path },
    });
  }
  const parsed = v.safeParse(v.array(record), found);
  if (parsed.success) {
    const ids = new Set(parsed.output.map(({ id }) => id));
    if (ids.size === parsed.output.length) return parsed.output as TokenRecord[];
    throw new ToolglotError("config/clash", `${path} has two tokens of one id.`, { data: { path } });
  }
  const issue = parsed.issues[0];
  const place = v.getDotPath(issue) ?? "";
  throw new ToolglotError("config/value", `${path}: [${place}] ${issue.message}`, { data: { path } });
}

/** Changes the tokens of a file, one process at a time: what another process wrote in between is kept. */
export async function changeTokenFile<Result>(
  path: string,
  change: (records: TokenRecord[]) => { records?: TokenRecord[]; result: Result },
): Promise<Result> {
  await makePrivateFolder(path, wrongMode);
  const busy = () =>
    new ToolglotError("config/file", `Another process is writing ${path}. Try again.`, { data: { path } });
  const lock = await takeLock(`${path}.lock`, thisOwner(), 10_000, busy);
  try {
    const { records, result } = change(await readTokenFile(path));
    if (records !== undefined) {
      if (!lock.isHeld()) throw busy();
      await writePrivateFile(path, `${JSON.stringify(records, undefined, 2)}\n`);
    }
    return result;
  } finally {
    lock.release();
  }
}
