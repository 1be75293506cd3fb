import { randomHex } from "@toolglot/internal";
import type { Limit, Range, ScriptFacts, Site } from "./bash-syntax.ts";
import { readScript } from "./command-reader.ts";
import { limitsOf } from "./second-languages.ts";
import type { Placeholder } from "./word-reader.ts";

/** A script whose placeholders are references to variables, which hold the values. */
export interface FilledScript {
  text: string;
  /** Values by the names of their variables. */
  variables: ReadonlyMap<string, string>;
  /** Names that the text has and the script had not, with the placeholder that each is there for. */
  inner: readonly (readonly [inner: string, placeholder: string])[];
  /** Variables of the script that a value is given to: one with the integer attribute would evaluate it. */
  assigned: readonly string[];
  notes: readonly string[];
}

/** Why a value can't stand where the script has it. */
export interface PlaceProblem {
  name: string;
  message: string;
}

const number = /^-?[0-9]{1,18}$/;
const plain = /^[A-Za-z0-9._/+=@:-]*$/;

/**
 * Writes references in the place of placeholders, so that each value arrives there exactly and is never code. The value itself is
 * never part of the text. Returns the problem where that can't be.
 */
export function fillScript(
  script: string,
  placeholders: readonly Placeholder[],
  values: ReadonlyMap<string, string>,
): FilledScript | PlaceProblem {
  const facts = readScript(script, placeholders);
  const limits = [...facts.limits, ...facts.commands.flatMap(limitsOf)];
  const variables = new Map<string, string>();
  const names = new Map<string, string>();
  const notes = new Set<string>();
  const changes: (Range & { text: string })[] = placeholders
    .filter(({ name }) => name === undefined)
    .map(({ start, end }) => ({ start, end, text: script.slice(start + 1, end) }));
  for (const site of facts.sites) {
    const { name, quoting } = site;
    if (quoting === "comment") continue;
    const value = values.get(name) ?? "";
    for (const limit of limits.filter((each) => contains(each, site))) {
      const problem = problemOf(limit, value);
      if (problem !== undefined) return { name, message: problem };
      if (limit.allows === "plain") notes.add(`The value of ${name} stands in ${limit.what}.`);
    }
    const variable = names.get(name) ?? `__v${randomHex(8)}`;
    names.set(name, variable);
    variables.set(variable, value);
    changes.push({ start: site.start, end: site.end, text: reference(variable, site) });
  }
  const inner = [...names].map(([name, variable]): [string, string] => [variable, name]);
  changes.push(...openHeredocs(script, facts, inner));
  for (const note of notesOf(facts)) notes.add(note);
  const assigned = assignedNames(facts);
  return { text: changed(script, changes), variables, inner, assigned, notes: [...notes] };
}

function contains(range: Range, { start, end }: Range): boolean {
  return range.start <= start && end <= range.end;
}

function reference(variable: string, { quoting }: Site): string {
  switch (quoting) {
    case "single":
      return `'"\${${variable}}"'`;
    case "ansi":
      return `'"\${${variable}}"$'`;
    case "bare":
      return `"\${${variable}}"`;
    default:
      return `\${${variable}}`;
  }
}

function problemOf({ allows, what }: Limit, value: string): string | undefined {
  if (allows === "none") return `no value can stand in ${what}`;
  if (allows === "number" && !number.test(value)) return `only an integer can stand in ${what}`;
  if (allows === "plain" && !plain.test(value)) return `it has characters that would be code in ${what}`;
  return undefined;
}

/** Heredocs that hold a placeholder are written so that bash expands them: everything else in them is escaped. */
function openHeredocs(
  script: string,
  { quotedHeredocs, sites }: ScriptFacts,
  inner: [string, string][],
): (Range & { text: string })[] {
  return quotedHeredocs.flatMap(({ delimiter, body, last }) => {
    const own = sites.filter((site) => contains(body, site));
    if (own.length === 0) return [];
    const end = `END_${randomHex(8)}`;
    inner.push([end, own[0]?.name ?? ""]);
    const changes = [{ ...delimiter, text: end }];
    const gaps = [body.start, ...own.flatMap((site) => [site.start, site.end]), body.end];
    for (let index = 0; index < gaps.length; index += 2) {
      const [start = 0, stop = 0] = gaps.slice(index, index + 2);
      const text = script.slice(start, stop).replace(/[\\$`]/g, "\\$&");
      changes.push({ start, end: stop, text });
    }
    if (last !== undefined) changes.push({ ...last, text: end });
    return changes;
  });
}

function changed(text: string, changes: readonly (Range & { text: string })[]): string {
  let result = "";
  let at = 0;
  for (const change of [...changes].sort((a, b) => a.start - b.start || a.end - b.end)) {
    result += text.slice(at, change.start) + change.text;
    at = change.end;
  }
  return result + text.slice(at);
}

/** Variables of the script that take a value. */
function assignedNames({ commands, assigned, sites }: ScriptFacts): string[] {
  const words = commands.flatMap((command) => [...command.assignments, ...command.words]);
  const targets = [
    ...words.flatMap((word) => (word.assigns ? [{ start: word.start, end: word.end, name: word.assigns.name }] : [])),
    ...assigned,
  ];
  return [...new Set(targets.filter((target) => sites.some((site) => contains(target, site))).map(({ name }) => name))];
}

/** Builtins, whose arguments no other process sees. */
const builtins =
  /^(?:echo|printf|test|\[|:|true|false|cd|export|declare|typeset|local|readonly|set|read|return|exit|shift|pushd|popd|eval|let|\.|source|unset|mapfile|readarray)$/;

function notesOf({ commands, sites }: ScriptFacts): string[] {
  const notes: string[] = [];
  for (const { assignments, words } of commands) {
    const declares = /^(?:export|declare|typeset|readonly)$/.test(words[0]?.text ?? "");
    for (const word of words.length === 0 ? assignments : declares ? words : []) {
      const site = word.assigns && sites.find((each) => contains(word, each));
      if (site === undefined) continue;
      const variable = word.assigns?.name ?? "";
      const children = declares ? " children get it;" : "";
      notes.push(
        `${variable} holds the value of ${site.name} from now on;${children} \`unset ${variable}\` ends that.`,
      );
    }
    if (builtins.test(words[0]?.text ?? "")) continue;
    const seen = words.flatMap((word) => sites.filter((site) => contains(word, site) && site.quoting !== "comment"));
    for (const { name } of seen) {
      const curl = words[0]?.text === "curl" ? ": with curl, `-H @-` or `--config -` takes it from standard input" : "";
      notes.push(`${name} is visible in the process list while its command runs${curl}.`);
    }
  }
  return notes;
}
