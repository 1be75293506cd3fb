import type { JsonObject } from "@toolglot/core";
import { attempt, canonicalJson, errorText, inBackground } from "@toolglot/internal";
import type { McpListedTool } from "@toolglot/toolkit";
import type { ImportedTool, ToolSettings } from "../types.ts";
import { withoutKey } from "./input-schema.ts";
import { toolNames } from "./names.ts";
import type { Notices } from "./notices.ts";
import type { ImportOptions } from "./options.ts";
import type { PinMode, PinnedTool, Pins, SeenTool } from "./pins.ts";
import type { RegisteredTools, WantedTool } from "./registered-tools.ts";
import { judge, withSettings } from "./risk.ts";
import { anyOf, checkToolSettings, defaultRepeat, makeSettings } from "./tool-settings.ts";

/** How often it is looked whether a tool that waits was accepted elsewhere, and whether the store is back. */
const acceptedEveryMs = 2_000;

/** What a server's list is made with. */
export interface ToolListParts {
  options: ImportOptions;
  /** Whose list it is: `""` for that of the server itself. */
  source: string;
  pins: Pins;
  registered: RegisteredTools;
  notices: Notices;
  /** The router is in line with the list. */
  onImport(hasChanged: boolean): void;
}

/** A list of a server's tools, as it was read last, and what of it is in the router. */
export class ToolList {
  readonly #options: ImportOptions;
  readonly #source: string;
  readonly #settingsOf: (tool: string) => ToolSettings;
  readonly #isAllowed: (tool: string) => boolean;
  readonly #pins: Pins;
  readonly #notices: Notices;
  readonly #registered: RegisteredTools;
  readonly #onImport: (hasChanged: boolean) => void;
  #held = new Set<string>();
  #listed: readonly McpListedTool[] = [];
  #importing: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor({ options, source, pins, registered, notices, onImport }: ToolListParts) {
    const { allow, deny, tools = {} } = options;
    this.#options = options;
    this.#source = source;
    this.#settingsOf = makeSettings(tools);
    const isIn = anyOf(allow);
    const isOut = anyOf(deny);
    this.#isAllowed = (tool) => isIn?.(tool) !== false && isOut?.(tool) !== true;
    this.#pins = pins;
    this.#registered = registered;
    this.#notices = notices;
    this.#onImport = onImport;
  }

  /** The same list until one of them changes. */
  get tools(): readonly ImportedTool[] {
    return this.#registered.toolsOf(this.#source);
  }

  /** Takes a list that was read. Never rejects: nothing changes while the store can't say what was seen before. */
  async take(listed: readonly McpListedTool[]): Promise<void> {
    this.#listed = listed;
    await this.#tryImport();
  }

  /** Takes the list out of the router, until another one is read. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#registered.replace(this.#source, []);
  }

  close(): void {
    this.#closed = true;
    this.drop();
  }

  /** Brings the router in line with the list that was read last: one after another. */
  import(): Promise<void> {
    this.#importing = this.#importing.catch(() => {}).then(() => this.#importNow());
    return this.#importing;
  }

  async #importNow(): Promise<void> {
    const seen = this.#usable(this.#listed);
    const { pin = "risk" } = this.#options;
    const { pinned, changes } = pin === "off" ? { pinned: undefined, changes: [] } : await this.#pins.look(seen);
    if (this.#closed) return;
    for (const change of changes) this.#notices.notify(change);
    const { gone, hasChanged } = this.#registered.replace(this.#source, this.#wanted(seen, pinned, pin));
    for (const tool of gone) {
      if (this.#held.has(tool)) continue;
      this.#notices.notify({ tool, kind: "removed", message: "The tool is no longer there." });
    }
    const isWaiting = [...(pinned?.values() ?? [])].some(({ accepted }) => !accepted);
    // Somebody may accept it in another process.
    if (isWaiting) this.#importLater();
    this.#onImport(hasChanged);
  }

  /** A store that can't say what was seen before is no fault of the server. */
  async #tryImport(): Promise<void> {
    try {
      await this.import();
    } catch (error) {
      const message = `The tools can't be compared with those that were seen before: ${errorText(error)}.`;
      this.#notices.unusable(undefined, message);
      this.#importLater();
    }
  }

  #importLater(): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = inBackground(() => void this.#tryImport(), acceptedEveryMs);
  }

  /** Those that can be called at all, each name once. */
  #usable(listed: readonly McpListedTool[]): SeenTool[] {
    const seen = new Map<string, SeenTool>();
    const { trustAnnotations = true } = this.#options;
    for (const { name, execution, unusable, sent, inputSchema: schema } of listed) {
      const leaveOut = (why: string): void => this.#notices.unusable(name, `The tool is left out: ${why}.`);
      if (execution?.taskSupport === "required") leaveOut("it can only be called as an MCP task");
      else if (unusable !== undefined || sent === undefined) leaveOut(unusable ?? "it can't be read");
      else if (seen.has(name)) leaveOut("another one of its name is listed before it");
      else if (!isShallow(sent)) leaveOut("it is nested too deeply");
      else seen.set(name, { sent: { ...sent, name }, schema, judged: judge(sent.annotations, trustAnnotations) });
    }
    return [...seen.values()];
  }

  /** Those that are allowed, neither hidden nor held back, as they are in the router. */
  #wanted(seen: readonly SeenTool[], pinned: ReadonlyMap<string, PinnedTool> | undefined, pin: PinMode): WantedTool[] {
    const names = toolNames(
      this.#options.name,
      seen.map(({ sent }) => sent.name),
    );
    const held = new Set<string>();
    const wanted = seen.flatMap(({ sent, schema, judged }): WantedTool[] => {
      const { name } = sent;
      const settings = this.#settingsOf(name);
      if (!this.#isAllowed(name) || settings.hidden === true) return [];
      const pinnedAs = pinned?.get(name) ?? { judged, accepted: true };
      if (pin === "strict" && !pinnedAs.accepted) {
        held.add(name);
        return [];
      }
      try {
        checkToolSettings(`the settings of ${name}`, settings);
      } catch (error) {
        this.#notices.unusable(name, `The tool is left out: ${errorText(error)}.`);
        return [];
      }
      const { capId, shownName } = names.get(name) as { capId: string; shownName: string };
      const repeat = settings.repeat ?? this.#options.repeat ?? defaultRepeat;
      const tool = { server: this.#options.name, tool: name, shownName, capId, repeat, settings };
      const listed = listedOf(sent, shownName, settings);
      return [{ tool: { ...tool, listed, ...withSettings(pinnedAs.judged, settings) }, schema }];
    });
    for (const tool of held) {
      if (this.#held.has(tool)) continue;
      const message = "The tool has changed, or is new: it is held back until it is accepted.";
      this.#notices.notify({ tool, kind: "held-back", message });
    }
    this.#held = held;
    return wanted;
  }
}

/** The tool as clients see it. What only MCP's tasks need is the gateway's own affair. */
function listedOf(
  { execution: _, ...sent }: SeenTool["sent"],
  name: string,
  settings: ToolSettings,
): ImportedTool["listed"] {
  return { ...sent, name, inputSchema: withoutKey(sent.inputSchema as JsonObject, settings) };
}

/** Whether it can be written and compared. */
function isShallow(value: JsonObject): boolean {
  return attempt(() => canonicalJson(value)) !== undefined;
}
