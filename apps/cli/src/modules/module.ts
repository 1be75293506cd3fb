import type { AnyTool, Locale, Model } from "@toolglot/core";
import type { AnyCapability, PolicyEngine } from "@toolglot/trp-core";
import type { ProtocolName } from "../cli/protocol-names.ts";

/** A text in both languages of the command line. */
export type Localized = Readonly<Record<Locale, string>>;

/** What a module for `--tools` may export as `toolglot`, instead of a list of tools. */
export interface ModuleExtension {
  /** What it is called; tools are allowed for good under this name. */
  name: string;
  /** Its folder among the user's data, unless `--data-dir` names one. Default: that of the command line. */
  dataFolder?: string;
  /** How its model is asked, unless a protocol is given. */
  protocol?: ProtocolName;
  /** Opens what its tools work on, below a folder of the user's. `reset`: as it was at first. */
  open(context: { folder: string; reset: boolean }): ModuleData;
  /** A model of its own, for who names no other. */
  model?: ModuleModel;
  /** Stops of the tour; `protocol`: the one that was asked for. */
  tour?(protocol: ProtocolName | undefined): readonly TourStop[];
  /** What the help says of it. */
  help?(locale: Locale, cli: string): { before: string; after: string };
}

/** What a module works on, opened. */
export interface ModuleData {
  tools: readonly AnyTool[];
  /** True when this call made the data. */
  fresh?: boolean;
  /** What a router offers. Default: each tool, as a capability. */
  capabilities?(): readonly AnyCapability[];
  /** The router's policy. Default: that of every router. */
  policy?(): PolicyEngine;
  /** The folder that models work in with `--protocol toolsxml`, instead of the user's own. */
  project?(): Project;
}

/** A folder that a model works in. */
export interface Project {
  folder: string;
  /** Its journal and backups, outside of it. */
  stateDir: string;
}

/** A model that needs no server. */
export interface ModuleModel {
  /** For `--model`. */
  name: string;
  /** What it is, for the first line of a conversation. */
  label: Localized;
  /** Mistakes that it can make on request, by protocol. */
  slips?: Readonly<Record<ProtocolName, readonly string[]>>;
  create(options: ModuleModelOptions): Model;
}

/** How a module's model is made. */
export interface ModuleModelOptions {
  /** The mistake to make, or the number at which the rotation begins. Default: none. */
  slip?: string | number;
  /** Milliseconds between two chunks, so that a person can follow. */
  delayMs: number;
  /** Called when an answer declines the request. */
  onDecline(message: string): void;
}

/** One stop of a tour: a question, and how it is asked. */
export interface TourStop {
  title: Localized;
  question: Localized;
  /** Default: the protocol of the command line. */
  protocol?: ProtocolName;
  slip?: string;
  /** Prepares what the question needs; undefined: the stop is left out. */
  prepare?(room: TourRoom): Promise<{ question: string; note?: string; close(): Promise<void> } | undefined>;
}

/** What the preparation of a stop can use. */
export interface TourRoom {
  question: string;
  locale: Locale;
  /** Whether a person can be asked for values. */
  asks: boolean;
  /** Runs a script in the project's shell, and returns its output. */
  command(script: string): Promise<string>;
  /** Sets a value that commands may use, for this session. */
  setValue(name: string, value: string): Promise<void>;
}
