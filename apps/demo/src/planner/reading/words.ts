import type { Token } from "./tokens.ts";

/** The tokens of a question that say something, and which of them a reading has made use of. */
export class Words {
  readonly content: readonly Token[];

  readonly #tokens: readonly Token[];

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.content = tokens.filter(({ kind }) => kind !== "filler");
  }

  /** Those of some kinds that are not used yet. */
  open(...kinds: string[]): Token[] {
    return this.content.filter(({ kind, used }) => !used && kinds.includes(kind));
  }

  /** Whether one of a kind is open, with this value if one is given. */
  has(kind: string, value?: string): boolean {
    return this.open(kind).some((token) => value === undefined || token.value === value);
  }

  /** Whether a word of a kind, used or not, is written so. */
  written(kind: string, pattern: RegExp): boolean {
    return this.content.some((token) => token.kind === kind && pattern.test(token.text));
  }

  /** What comes next, even if it says nothing. */
  following(token: Token): Token | undefined {
    return this.#tokens[this.#tokens.indexOf(token) + 1];
  }

  next(token: Token): Token | undefined {
    return this.content[this.content.indexOf(token) + 1];
  }

  before(token: Token): Token | undefined {
    return this.content[this.content.indexOf(token) - 1];
  }

  /** Uses the first open one of a kind that fits. */
  take(kind: string, fits: (token: Token) => boolean = () => true): Token | undefined {
    const token = this.open(kind).find(fits);
    if (token) token.used = true;
    return token;
  }

  /** Uses those of a kind that are open and fit. */
  use(kind: string, fits: (token: Token) => boolean = () => true): boolean {
    const found = this.open(kind).filter(fits);
    for (const token of found) token.used = true;
    return found.length > 0;
  }
}
