import { stat } from "node:fs/promises";
import { ToolglotError } from "@toolglot/core";
import { checkKeys, defined, ignoring } from "@toolglot/internal";
import { bearerToken, principal } from "@toolglot/trp-core";
import { changeTokenFile, readTokenFile, type TokenRecord } from "./token-file.ts";
import { isSameHash, makeToken, tokenHash, tokenId } from "./token-text.ts";
import type { Identity, NewToken, TokenInfo } from "./types.ts";

/** Options of {@link openTokens}. */
export interface TokensOptions {
  /** How often the file is looked at. Milliseconds. Default 500. */
  watchMs?: number;
  /** Gets a line when the file can't be read any more, and when it can again. */
  log?(line: string): void;
}

/**
 * The tokens of a file. The file is read again when it has changed, so a token that any process revokes is refused within two
 * seconds. A file that can't be read or is malformed lets nobody in: what it said before may be what somebody took back.
 */
export interface Tokens {
  readonly file: string;
  /**
   * Returns who an `Authorization` header stands for; undefined for unknown, revoked and expired tokens. Rejects with the
   * `ToolglotError` of the file (`config/…`) while it can't be read.
   */
  authenticate(authorization: string | undefined): Promise<Identity | undefined>;
  /** Returns whose token has this id (`Identity.id`), as the file says it now; undefined when it is no longer good. */
  identity(id: string): Identity | undefined;
  /** Makes a token. This is the only time that anybody sees it. */
  add(token: NewToken): Promise<{ id: string; token: string }>;
  /** All of them, in the order in which they were made, revoked and expired ones too. */
  list(): Promise<TokenInfo[]>;
  /** False when there is no such token. */
  revoke(id: string): Promise<boolean>;
  /** Calls the listener with the `Identity.id` of each token that is no longer good. Returns what ends it. */
  onRevoked(listener: (id: string) => void): () => void;
  /** Why nobody is let in: the file can't be read, or is malformed. */
  fault(): ToolglotError | undefined;
  /** Looks at the file no more. */
  close(): void;
}

/**
 * Opens a file of tokens. A file that does not exist has none. Rejects with `ToolglotError`: `config/mode` for a file that
 * others can read or write, `config/syntax`, `config/value` and `config/clash` for a malformed one.
 *
 * @example
 * ```ts
 * const tokens = await openTokens("/home/me/.local/state/toolglot/tokens.json");
 * const { token } = await tokens.add({ principal: "ada", roles: ["approver"] });
 * (await tokens.authenticate(`Bearer ${token}`))?.principal.id; // "ada"
 * ```
 */
export async function openTokens(file: string, options: TokensOptions = {}): Promise<Tokens> {
  checkKeys("openTokens", options, "watchMs:size log:function");
  const tokens = new FileTokens(file, options);
  await tokens.open();
  return tokens;
}

/** Of what no token has: the time of a comparison is the same for unknown ids. */
const noHash = tokenHash("");

class FileTokens implements Tokens {
  readonly file: string;
  readonly #watchMs: number;
  readonly #log: (line: string) => void;
  readonly #listeners = new Set<(id: string) => void>();
  #records = new Map<string, TokenRecord>();
  /** Those that were good when the file was looked at last. */
  #good = new Map<string, TokenRecord>();
  #state = "";
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #fault: ToolglotError | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: string, { watchMs = 500, log = () => {} }: TokensOptions) {
    this.file = file;
    this.#watchMs = watchMs;
    this.#log = log;
  }

  async open(): Promise<void> {
    await this.#look();
    if (this.#fault !== undefined) throw this.#fault;
    this.#timer = setInterval(() => void this.#look(), this.#watchMs).unref();
  }

  async authenticate(authorization: string | undefined): Promise<Identity | undefined> {
    const token = bearerToken(authorization);
    const id = token === undefined ? undefined : tokenId(token);
    if (token === undefined || id === undefined) return undefined;
    // Many may ask at once: they share a look.
    if (performance.now() - this.#lookedAt > this.#watchMs) await (this.#looking ?? this.#look());
    if (this.#fault !== undefined) throw this.#fault;
    const found = this.#records.get(id);
    const isRight = isSameHash(found?.hash ?? noHash, tokenHash(token));
    return found !== undefined && isRight && isGood(found) ? identityOf(found) : undefined;
  }

  identity(id: string): Identity | undefined {
    const found = this.#fault === undefined ? this.#records.get(id) : undefined;
    return found !== undefined && isGood(found) ? identityOf(found) : undefined;
  }

  async add(token: NewToken): Promise<{ id: string; token: string }> {
    checkKeys(
      "tokens.add",
      token,
      "principal:text tenant:text roles:text[] canDelete:boolean elicitation:boolean lenientHeaders:boolean expiresAt:number",
      ["principal"],
    );
    const { principal: id, tenant, roles, canDelete, elicitation = true, lenientHeaders, expiresAt } = token;
    const who = principal({ id, ...defined({ tenant, roles, canDelete }) });
    const made = await changeTokenFile(this.file, (records) => {
      const result = freshToken(records);
      const record: TokenRecord = {
        id: result.id,
        hash: tokenHash(result.token),
        principal: who.id,
        tenant: who.tenant,
        roles: who.roles,
        canDelete: who.canDelete,
        elicitation,
        ...defined({ lenientHeaders }),
        createdAt: new Date().toISOString(),
        ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
      };
      return { records: [...records, record], result };
    });
    await this.#look();
    return made;
  }

  async list(): Promise<TokenInfo[]> {
    return (await readTokenFile(this.file)).map(({ hash: _, ...info }) => info);
  }

  async revoke(id: string): Promise<boolean> {
    const wasThere = await changeTokenFile(this.file, (records) => {
      const found = records.find((record) => record.id === id);
      if (found === undefined || found.revokedAt !== undefined) return { result: found !== undefined };
      found.revokedAt = new Date().toISOString();
      return { records, result: true };
    });
    await this.#look();
    return wasThere;
  }

  onRevoked(listener: (id: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  fault(): ToolglotError | undefined {
    return this.#fault;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#listeners.clear();
  }

  /** One look at a time; whoever comes while one is under way waits for the next, which sees what they have written. */
  #look(): Promise<void> {
    const before = this.#looking ?? Promise.resolve();
    const looking = before
      .then(() => this.#lookNow())
      .finally(() => {
        if (this.#looking === looking) this.#looking = undefined;
      });
    this.#looking = looking;
    return looking;
  }

  async #lookNow(): Promise<void> {
    const hadFault = this.#fault !== undefined;
    try {
      const state = await stateOf(this.file);
      if (hadFault || state !== this.#state) {
        this.#records = new Map((await readTokenFile(this.file)).map((record) => [record.id, record]));
        this.#state = state;
        this.#fault = undefined;
        if (hadFault) this.#log(`${this.file} can be read again`);
      }
    } catch (error) {
      this.#fault = ToolglotError.isInstance(error)
        ? error
        : new ToolglotError("config/file", `${this.file} can't be read.`, { cause: error });
      if (!hadFault) this.#log(`nobody is let in: ${this.#fault.message}`);
    }
    this.#lookedAt = performance.now();
    // An editor may be writing it: sessions end when it is no better at the next look.
    if (this.#fault !== undefined && !hadFault) return;
    this.#endThoseOf(this.#fault === undefined ? this.#records : new Map());
  }

  #endThoseOf(records: ReadonlyMap<string, TokenRecord>): void {
    const good = new Map([...records].filter(([, record]) => isGood(record)));
    const before = this.#good;
    this.#good = good;
    for (const [id, was] of before) {
      const is = good.get(id);
      const isSame = is?.hash === was.hash && is.principal === was.principal && is.tenant === was.tenant;
      if (isSame) continue;
      for (const listener of this.#listeners) listener(id);
    }
  }
}

/** Changes whenever the file does: also when another is put in its place, or its mode is changed. */
async function stateOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(ignoring("ENOENT"));
  return found === undefined ? "none" : [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(":");
}

function freshToken(records: readonly TokenRecord[]): { id: string; token: string } {
  for (;;) {
    const made = makeToken();
    if (!records.some(({ id }) => id === made.id)) return made;
  }
}

function isGood({ revokedAt, expiresAt }: TokenRecord): boolean {
  return revokedAt === undefined && (expiresAt === undefined || Date.parse(expiresAt) > Date.now());
}

function identityOf(record: TokenRecord): Identity {
  const { id, tenant, roles, canDelete, elicitation, lenientHeaders = false, expiresAt } = record;
  return {
    id,
    principal: principal({ id: record.principal, tenant, roles, canDelete }),
    mayElicit: elicitation,
    lenientHeaders,
    ...(expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }),
  };
}
