import { randomBytes } from "node:crypto";
import type { RouterStore } from "@toolglot/trp-core/store";

const name = "gateway/secret";

/** The key that all gateways on a store share, made by the first: with it they sign what they give to clients. 32 random bytes, base64url. */
export async function sharedSecret({ logs }: Pick<RouterStore, "logs">): Promise<string> {
  for (;;) {
    const [secret] = (await logs.read(name)) ?? [];
    if (secret !== undefined) return secret;
    // Of several gateways that start at once, one is first.
    await logs.append(name, [randomBytes(32).toString("base64url")], 0);
  }
}
