import type { ContentBlock, ToolCall } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { ToolMiddleware, ToolResponse } from "@toolglot/toolkit";
import { localError } from "../errors.ts";
import { fillPlaceholders, placeholdersIn } from "../placeholders.ts";
import { definitions } from "../tools/definitions.ts";
import type { Masker } from "./mask/masker.ts";
import { maskedError } from "./masked-error.ts";
import { isName } from "./name-and-value.ts";
import { nameIn, unknownValue, valueLocked, valueNotAllowed } from "./refusals.ts";
import type { Secrets } from "./types.ts";
import { type SecretValues, valuesOf } from "./values.ts";

/**
 * Middleware of a Toolkit that fills `$KARYI{NAME}` into the calls of foreign tools: a value that goes there leaves this machine. `tools` says
 * which tool may have which values; any other placeholder is refused with `ValueNotAllowed`. What the tools answer is masked,
 * chunk by chunk. The tools of `LocalTools` fill in their own, so their calls go through as they are.
 *
 * @throws `TypeError` for secrets that `openSecrets` did not make, and for a table that is none.
 */
export function valueMiddleware(
  secrets: Secrets,
  options: { tools: Readonly<Record<string, readonly string[]>> },
): ToolMiddleware {
  const values = valuesOf(secrets);
  const allowed = readTable(options?.tools);
  return async function* (call, next) {
    const isLocal = Object.hasOwn(definitions, call.name) && !allowed.has(call.name);
    const filled = isLocal ? { call, used: new Set<string>() } : await fillCall(call, allowed.get(call.name), values);
    const masking = new ResponseMasking(secrets, () => values.masker(filled.used));
    try {
      for await (const response of next(filled.call)) yield masking.mask(response);
    } catch (error) {
      throw maskedError(error, (value) => secrets.maskData(value));
    }
  };
}

function readTable(tools: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  if (!isObject(tools)) throw new TypeError('valueMiddleware needs { tools: { create_issue: ["GITHUB_TOKEN"] } }');
  return new Map(
    Object.entries(tools).map(([tool, names]) => {
      if (!Array.isArray(names) || !names.every(isName)) {
        throw new TypeError(`valueMiddleware: tools.${tool} must be a list of names of values`);
      }
      return [tool, new Set(names as string[])];
    }),
  );
}

async function fillCall(
  call: ToolCall,
  allowed: ReadonlySet<string> | undefined,
  values: SecretValues,
): Promise<{ call: ToolCall; used: ReadonlySet<string> }> {
  const placeholders = placeholdersIn(call.input);
  if (placeholders.length > 0) {
    const forbidden = placeholders.filter((one) => allowed?.has(nameIn(one) ?? "") !== true);
    if (forbidden.length > 0) throw valueNotAllowed(forbidden, call.name);
    if (placeholdersIn(keysOf(call.input)).length > 0) {
      throw localError("InvalidInput", "A value can't be a key. Nothing was run.");
    }
    const known = await values.known();
    const unknown = placeholders.filter((one) => !known.has(nameIn(one) ?? ""));
    if (unknown.length > 0) throw unknownValue(unknown, known.keys());
  }
  const found = new Map<string, string>();
  for (const placeholder of placeholders) {
    const name = nameIn(placeholder) ?? "";
    const held = await values.get(name).catch((error: unknown) => {
      throw valueLocked(name, error);
    });
    if (held === undefined) throw unknownValue([placeholder], []);
    found.set(placeholder, held.value);
  }
  const input = fillPlaceholders(call.input, (placeholder) => found.get(placeholder) ?? placeholder);
  return { call: { ...call, input }, used: new Set(placeholders.map((one) => nameIn(one) ?? "")) };
}

/** All keys, at any depth. */
function keysOf(input: unknown): string[] {
  if (Array.isArray(input)) return input.flatMap(keysOf);
  return isObject(input) ? Object.entries(input).flatMap(([key, item]) => [key, ...keysOf(item)]) : [];
}

/** Masks the responses of one call, in which a value may be cut anywhere. */
class ResponseMasking {
  readonly #secrets: Secrets;
  readonly #newMasker: () => Masker;
  /** For chunks that hold only what is new. */
  readonly #stream: Masker;
  #before = "";

  constructor(secrets: Secrets, newMasker: () => Masker) {
    this.#secrets = secrets;
    this.#newMasker = newMasker;
    this.#stream = newMasker();
  }

  mask(response: ToolResponse): ToolResponse {
    const { content, data, error, metadata, isLast } = response;
    return response.with({
      content: isLast ? this.#whole(content) : this.#chunk(content),
      data: this.#secrets.maskData(data),
      error: this.#secrets.maskData(error),
      metadata: this.#secrets.maskData(metadata),
    });
  }

  #chunk(content: readonly ContentBlock[]): ContentBlock[] {
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
    // Chunks hold either everything so far or only what is new, as the tool is registered; nothing else tells which.
    const holdsAll = this.#before !== "" && text.startsWith(this.#before);
    this.#before = text;
    return this.#blocks(content, holdsAll ? this.#newMasker() : this.#stream);
  }

  #whole(content: readonly ContentBlock[]): ContentBlock[] {
    const masker = this.#newMasker();
    const blocks = this.#blocks(content, masker);
    const rest = masker.end();
    const last = blocks.findLast((block) => block.type === "text");
    if (last !== undefined) last.text += rest;
    return blocks;
  }

  /** Text blocks are read as one text; all else by itself. */
  #blocks(content: readonly ContentBlock[], masker: Masker): ContentBlock[] {
    return content.map((block) =>
      block.type === "text"
        ? { ...block, text: masker.write(block.text) + masker.pause() }
        : this.#secrets.maskData(block),
    );
  }
}
