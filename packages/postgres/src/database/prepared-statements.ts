import { createHash } from "node:crypto";
import { isUnprepared } from "../errors.ts";
import type { Client } from "./pool.ts";
import type { Row, Value } from "./transaction.ts";

/** Statements that backends know, as far as they may. */
export class PreparedStatements {
  /** By the names that they are given here, each of one text. */
  readonly #names = new Map<string, string>();
  /** False once a pooler was found between, which gives each transaction another backend. */
  #mayPrepare = true;

  /** Runs a statement, prepared when it has a name. */
  async rows(client: Client, text: string, values: readonly Value[], name: string | undefined): Promise<Row[]> {
    if (name !== undefined && this.#mayPrepare) {
      try {
        return (await client.query<Row>({ name: this.#nameOf(name, text), text, values: [...values] })).rows;
      } catch (error) {
        if (!isUnprepared(error)) throw error;
        this.#mayPrepare = false;
      }
    }
    return (await client.query<Row>(text, [...values])).rows;
  }

  /** Behind a pooler a backend may have prepared statements of others: the same name must mean the same text. */
  #nameOf(name: string, text: string): string {
    let unique = this.#names.get(name);
    if (unique === undefined) {
      unique = `${name} ${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
      this.#names.set(name, unique);
    }
    return unique;
  }
}
