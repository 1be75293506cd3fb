import { type ContentBlock, contentText, sanitizeErrorMessage, type ToolCall } from "@toolglot/core";
import { attempt, gotText, isObject } from "@toolglot/internal";
import type { CallInfo, ToolMiddleware, ToolResponse } from "@toolglot/toolkit";
import type { Masker } from "./mask/masker.ts";
import { maskBlocks, maskWhole } from "./mask-blocks.ts";
import { maskedError } from "./masked-error.ts";
import { isName } from "./name-and-value.ts";
import { PlaceholderFiller, refuseKeys } from "./placeholders/placeholder-filler.ts";
import { namesIn } from "./placeholders/placeholders.ts";
import { valueNotAllowed } from "./placeholders/refusals.ts";
import type { Secrets } from "./types.ts";
import { valuesOf } from "./values.ts";

/**
 * Creates a middleware of a Toolkit that fills `$KARYI{NAME}` into the calls of foreign tools: a value that goes there leaves this machine.
 * `tools` names the values that each tool may have; any other placeholder is refused with `ValueNotAllowed`. What the tools answer is
 * masked, chunk by chunk. The tools of `LocalTools` that were opened with these secrets fill in their own, so their calls go through as
 * they are.
 *
 * @example
 * ```ts
 * toolkit.use(valueMiddleware(secrets, { tools: { create_issue: ["GITHUB_TOKEN"] } }));
 * ```
 *
 * @throws `TypeError` for secrets that `openSecrets` did not make, and for a table that is none.
 */
export function valueMiddleware(
  secrets: Secrets,
  options: { tools: Readonly<Record<string, readonly string[]>> },
): ToolMiddleware {
  const values = valuesOf(secrets);
  const filler = new PlaceholderFiller(values);
  const allowed = readTable(options?.tools);
  return async function* (call, next, about) {
    const isFilledThere = values.fillingTools.has(call.name) && !allowed.has(call.name);
    const filled = isFilledThere
      ? { call, used: new Set<string>() }
      : await fillCall(call, allowed.get(call.name), filler, about.wait);
    const masking = new ResponseMasking(secrets, () => values.masker(filled.used));
    try {
      for await (const response of next(filled.call)) yield masking.mask(response, about.thrown.at(-1)?.error);
    } catch (error) {
      throw maskedError(error, (value) => secrets.maskData(value));
    }
  };
}

function readTable(tools: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  if (!isObject(tools))
    throw new TypeError(`valueMiddleware needs { tools: { create_issue: ["GITHUB_TOKEN"] } }, not ${gotText(tools)}`);
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
  filler: PlaceholderFiller,
  wait: CallInfo["wait"],
): Promise<{ call: ToolCall; used: ReadonlySet<string> }> {
  const forbidden = namesIn(call.input).filter(({ name }) => allowed?.has(name) !== true);
  if (forbidden.length > 0) throw valueNotAllowed(forbidden, call.name);
  refuseKeys(call.input);
  const names = await filler.names(call.input);
  const values = await filler.values(names, { callId: call.id, wait });
  return { call: { ...call, input: filler.fill(call.input, values) }, used: new Set(names) };
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

  /** Masks a response. `thrown`: what the tool threw, if anything. */
  mask(response: ToolResponse, thrown: unknown): ToolResponse {
    const { content, data, error, metadata, isLast } = this.#withMaskedMessage(response, thrown);
    const masked = isLast ? maskWhole(content, this.#newMasker(), this.#secrets) : this.#chunk(content);
    // A tool that returns text has it as its data, too: there the value is cut as it is in the text.
    const isText = typeof data === "string" && data === contentText(content);
    return response.with({
      content: masked,
      data: isText ? contentText(masked) : this.#secrets.maskData(data),
      error: this.#secrets.maskData(error),
      metadata: this.#secrets.maskData(metadata),
    });
  }

  /**
   * Paths and URLs are taken out of what a tool threw, and with them the middle of a value that looks like one: so it is masked first, and
   * then what is left of the message is treated in the same way.
   */
  #withMaskedMessage(response: ToolResponse, thrown: unknown): ToolResponse {
    const { error, content } = response;
    const raw: unknown = attempt(() => (thrown as Error | undefined)?.message);
    if (error === undefined || typeof raw !== "string" || sanitizeErrorMessage(raw) !== error.message) return response;
    const masked = this.#secrets.mask(raw);
    if (masked === raw) return response;
    const message = sanitizeErrorMessage(masked);
    const put = (block: ContentBlock): ContentBlock =>
      block.type === "text" ? { ...block, text: block.text.replace(error.message, () => message) } : block;
    return response.with({ error: { ...error, message }, content: content.map(put) });
  }

  #chunk(content: readonly ContentBlock[]): ContentBlock[] {
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
    // Chunks hold either everything so far or only what is new, as the tool is registered; nothing else shows which.
    const holdsAll = this.#before !== "" && text.startsWith(this.#before);
    this.#before = text;
    return maskBlocks(content, holdsAll ? this.#newMasker() : this.#stream, this.#secrets);
  }
}
