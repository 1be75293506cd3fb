/** What a request to a model is made of: what can be made shorter. */
const prompt =
  "(?:prompt|context|inputs?(?![a-z])|messages(?![a-z])|conversation|(?:request|model|max|total)\\w*[_ ]tokens?)";

/** Matches words for something that is too much. */
const tooMuch =
  "(?:exceed|overflow|too (?:long|large|big|many)|(?:longer|greater|larger|more) than|reduce|decrease|shorten|must be <|must have less|should be \\[|only [\\d,]+ tokens|not enough)";

/** Of a prompt, in the words of any server: it, and that it is too much, near each other. */
const near = new RegExp(`${prompt}[^]{0,90}?${tooMuch}|${tooMuch}[^]{0,90}?${prompt}`, "i");

/** In what prompts are measured. */
const measure = /tokens?(?![a-z])|(?:length|window|context (?:size|limit))(?![a-z])/i;

/** Matches phrases that mean an overflow by themselves. */
const plain =
  /(?:prompt|inputs?|context|conversation) (?:is |are |was )?too (?:long|large)|max\w* (?:context|prompt|input|model) length (?:is|of) [\d,]+/i;

/**
 * What a shorter prompt does not cure: rates and quotas; time; limits of other things than the prompt, which then stand right before what is said of
 * them.
 */
const otherwise: readonly RegExp[] = [
  /rate[_ -]?limit|\b(?:rate|quotas?|billing|credits?|balance|[RT]P[MDS]|ITPM)\b|throttl|resource[_ ]exhausted|too many requests/i,
  /(?:tokens?|requests?) ?(?:per|a|\/) ?(?:sec|min|hour|day|month)|\b(?:daily|hourly|monthly)\b|(?:wait|try again) (?:before|later|in \d)/i,
  /deadline|time[ds]?[ -]?out/i,
  /(?<!(?:\+|\band) [`'"]?)\b(?:max_(?:completion_|output_|new_)?tokens|(?:max(?:imum)?|output|completion|reasoning|thinking|budget)[_ ]tokens?|tools?|functions?|schemas?|names?|ids?|descriptions?|stop(?: sequences?)?|images?|audio|videos?|files?|attachments?|pdfs?|pages?|documents?|array|string|headers?|urls?|batch|temperature)\b[`'"]*\W{1,3}(?:(?:you|requested|value|token|is|are|was|were|length|size|count|limit|dimensions|name|of|the|has|have|\w*[\d,.]+(?: ?[kKmM]i?[bB])?)\W{1,3}){0,4}(?:exceed(?:s|ed)?\b(?![^.]{0,40}context)|too (?:long|large|big|many|small)|(?:longer|greater|larger|more) than|must be|should be|must have|>)/i,
];

/** Statuses of failures that have another cause, whatever their words: no right, no money, no such thing, too often. */
const otherStatuses: ReadonlySet<unknown> = new Set([401, 402, 403, 404, 429]);

/** Where clients keep what a server said; never the request, which holds the user's words. */
const said = [
  "name",
  "message",
  "code",
  "type",
  "detail",
  "error",
  "data",
  "body",
  "responseBody",
  "cause",
  "errors",
  "lastError",
];

/** So much of one text is read, from its beginning. */
const maxTextLength = 4000;

/**
 * Whether a model's error means that the request was longer than its context: by its code (`context-overflow`), its status 413, or its
 * words, wherever its client keeps them. Rates, quotas, and limits of anything but the prompt are none, whatever the words and the status.
 *
 * @example
 * ```ts
 * const isTooLong = isContextOverflow(new Error("prompt is too long: 210000 tokens > 200000 maximum")); // true
 * ```
 */
export function isContextOverflow(error: unknown): boolean {
  // An adapter has found it out already.
  const { code } = Object(error) as { code?: unknown };
  if (typeof code === "string" && /(?:^|\/)context-overflow$/.test(code)) return true;
  const found: { texts: string[]; statuses: unknown[] } = { texts: [], statuses: [] };
  collect(error, found, 0);
  const text = found.texts.join("\n");
  if (found.statuses.some((status) => otherStatuses.has(status)) || otherwise.some((pattern) => pattern.test(text)))
    return false;
  return found.statuses.includes(413) || plain.test(text) || (measure.test(text) && near.test(text));
}

function collect(value: unknown, found: { texts: string[]; statuses: unknown[] }, depth: number): void {
  if (typeof value === "string") found.texts.push(wordsOf(value));
  if (typeof value !== "object" || value === null || depth > 5) return;
  if (Array.isArray(value)) {
    for (const item of value.slice(0, 5)) collect(item, found, depth + 1);
    return;
  }
  const { status, statusCode, code, $metadata, response } = value as Record<string, unknown>;
  for (const holder of [$metadata, response]) {
    const { httpStatusCode, status: inner } = (holder ?? {}) as Record<string, unknown>;
    found.statuses.push(httpStatusCode, inner);
  }
  found.statuses.push(status, statusCode, code);
  for (const key of said) collect((value as Record<string, unknown>)[key], found, depth + 1);
}

/** Returns the beginning of a text; a code as words. */
function wordsOf(text: string): string {
  const read = text.slice(0, maxTextLength);
  return /^\w+$/.test(read) ? read.replaceAll("_", " ") : read;
}
