import { checkKeys, gotText, isObject } from "@toolglot/internal";
import { isTemplateDialect } from "./template-dialect.ts";
import type { Dialect, Marker, NameRule, VariableMarker } from "./types.ts";

/** UTF-16 units of a marker. */
const maxMarker = 64;
/** The one pattern that the table has; others could take long on a model's text. */
const idPattern = "^(?:functions\\.)?([\\s\\S]*):\\d+$";

/**
 * Checks an object that a host passes as a dialect of its own.
 *
 * @throws `TypeError` that names the field: for unknown fields, values of a wrong kind, and markers that are empty, longer than 64 UTF-16
 * units, or no literal text.
 */
export function checkDialect(value: unknown): asserts value is Dialect {
  if (!isObject(value)) throw new TypeError(`A dialect must be an object, not ${gotText(value)}`);
  const dialect = value as unknown as Dialect;
  checkKeys(
    "dialect",
    dialect,
    [
      'id:text engine:"json"|"tags"|"python"|"keyed"|"messages"|"template" models:string[] example:object',
      'evidence:"template"|"parser"|"second-hand" open:object[] close:object[] separator:string list:true wrapsEach:true',
      'header:string call:object arguments:object values:"json"|"python"|"raw-or-json"|"gemma"|"tree"',
      "stringDelimiters:list[] plainSingleQuotes:true singleQuotes:true compact:true sorted:true entities:true",
      'prose:object[] reasoning:object[] stops:string[] suffix:"text"|"none" results:object write:boolean bare:"known-names"',
    ] as const,
    "id engine models evidence example open call arguments values reasoning stops suffix write".split(
      " ",
    ) as (keyof Dialect)[],
  );
  if ((dialect.engine === "template") !== isTemplateDialect(dialect))
    fail(
      "engine",
      'is "template" in what dialectFromTemplate of @toolglot/dialects/response-template returns, and only there',
    );
  const { call, arguments: args, results } = dialect;
  checkKeys(
    "dialect: call",
    call,
    'open:object name:object close:object openEnd:text nameKey:text index:object id:object idPattern:text json:true prefix:"functions."',
    ["name"],
  );
  checkKeys("dialect: arguments", args, [
    'keys:string[] open:object keyClose:object key:object|"tag" close:object openEnd:text pad:"one-lf"|"read-one-lf"|"none"',
    "typeMark:object otherMark:string|object cdata:true",
  ] as const);
  checkKeys("dialect: example", dialect.example, "text:string calls:object[]", ["text", "calls"]);
  if (results) {
    checkKeys(
      "dialect: results",
      results,
      'open:string item:string close:string role:"tool"|"user" separator:string as:"json"|"gemma"',
      ["open", "item", "close", "role"],
    );
  }
  if (call.idPattern !== undefined && call.idPattern !== idPattern) fail("call.idPattern", `must be ${idPattern}`);
  checkEach("open", dialect.open, checkMarker);
  checkEach("close", dialect.close, checkMarker);
  for (const place of ["open", "close"] as const) {
    checkMarker(`call.${place}`, call[place]);
    checkMarker(`arguments.${place}`, args[place]);
  }
  checkMarker("arguments.keyClose", args.keyClose);
  checkName(call.name);
  if (typeof args.key === "object" && !("attribute" in args.key)) checkMarker("arguments.key", args.key);
  checkEach("reasoning", dialect.reasoning, (place, { open, close }) => {
    checkText(`${place}.open`, open);
    checkText(`${place}.close`, close);
  });
  checkEach("prose", dialect.prose, (place, { open }) => checkText(`${place}.open`, open));
  checkEach("stops", dialect.stops, checkText);
  checkEach("stringDelimiters", dialect.stringDelimiters, (place, pair) => {
    checkText(`${place}[0]`, pair?.[0]);
    checkText(`${place}[1]`, pair?.[1]);
  });
}

function checkEach<One>(
  place: string,
  list: readonly One[] | undefined,
  check: (place: string, one: One) => void,
): void {
  for (const [index, one] of list?.entries() ?? []) check(`${place}[${index}]`, one);
}

function checkName(rule: NameRule): void {
  if (rule.at === "key") {
    if (!Array.isArray(rule.keys) || rule.keys.length === 0) fail("call.name.keys", "must be a list of texts");
    checkEach("call.name.keys", rule.keys, checkText);
  } else if (rule.at === "attribute") checkText("call.name.attribute", rule.attribute);
  else if (rule.at === "text") {
    if (!Array.isArray(rule.until)) fail("call.name.until", "must be a list of markers");
    checkEach("call.name.until", rule.until, checkMarker);
  } else if (rule.at !== "only-key") fail("call.name.at", 'must be "key", "only-key", "attribute" or "text"');
}

function checkMarker(place: string, marker: Marker | VariableMarker | undefined): void {
  if (marker === undefined) return;
  if (!isObject(marker)) fail(place, "must be a marker: { text }");
  if ("variable" in marker) {
    const { prefix, suffix, variable, lead = "" } = marker as VariableMarker;
    checkText(`${place}.prefix`, prefix);
    checkText(`${place}.suffix`, suffix);
    if (typeof lead !== "string" || lead.length > maxMarker) fail(`${place}.lead`, "must be a short text");
    if (!Number.isInteger(variable) || variable < 1 || variable > 16) fail(`${place}.variable`, "must be 1 to 16");
    return;
  }
  const { text, lookAlikes = [] } = marker as Marker;
  checkText(`${place}.text`, text);
  if (!Array.isArray(lookAlikes)) fail(`${place}.lookAlikes`, "must be a list of texts");
  checkEach(`${place}.lookAlikes`, lookAlikes, checkText);
}

function checkText(place: string, text: unknown): void {
  if (typeof text !== "string" || text === "" || text.length > maxMarker)
    fail(place, `must be a text of 1 to ${maxMarker} characters`);
}

function fail(place: string, why: string): never {
  throw new TypeError(`dialect: ${place} ${why}`);
}
