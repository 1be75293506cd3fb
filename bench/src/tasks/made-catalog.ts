import type { JsonSchemaObject } from "@toolglot/core";
import { type AnyCapability, capabilityOf } from "@toolglot/trp-core";

/** A tool of the made catalog. */
export interface MadeTool {
  name: string;
  description: string;
  inputSchema: JsonSchemaObject;
  annotations: { title: string; readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean };
}

/** Kinds of records in each service: ten, with what one of them is about. */
const services: readonly (readonly [service: string, about: string, kinds: string])[] = [
  ["crm", "customer relations", "contact company deal pipeline note activity segment campaign territory quote"],
  ["billing", "billing", "invoice payment subscription plan coupon credit_note tax_rate payout dispute ledger_entry"],
  ["support", "customer support", "ticket reply macro queue agent satisfaction_rating tag escalation article policy"],
  ["hr", "human resources", "employee position team leave_request review contract candidate interview offer benefit"],
  ["shop", "the web shop", "product variant order cart refund review collection price_list gift_card return"],
  ["stock", "the warehouse", "item bin shipment carrier supplier purchase_order stock_count transfer lot label"],
  ["files", "file storage", "file folder share version comment template approval signature retention_rule link"],
  ["mail", "e-mail", "message thread draft filter mailbox signature attachment alias contact_list schedule"],
  ["chat", "team chat", "channel post reaction reminder pin call bookmark workflow poll guest"],
  ["calendar", "calendars", "event room invitation resource holiday availability booking series agenda time_zone"],
  ["code", "source code", "repository branch pull_request commit release issue milestone pipeline runner secret"],
  ["cloud", "cloud servers", "server volume network firewall snapshot image cluster database certificate domain"],
  ["watch", "monitoring", "alert dashboard metric log_query incident probe service_level runbook on_call trace"],
  ["data", "the data warehouse", "table query dataset job schedule model source quality_check glossary_term export"],
  ["web", "the web site", "page menu form asset redirect translation banner experiment visitor sitemap"],
  ["travel", "business travel", "trip flight hotel rental_car expense receipt visa traveller budget itinerary"],
  ["legal", "contracts and law", "agreement clause matter deadline counterparty obligation filing patent hearing fee"],
  ["learn", "training", "course lesson quiz learner certificate cohort trainer assignment grade forum"],
  ["plan", "project planning", "project task sprint epic dependency estimate risk decision roadmap timesheet"],
  ["home", "buildings", "building floor desk visitor badge meter work_order contractor inspection parking_space"],
];

const text = (description: string): JsonSchemaObject => ({ type: "string", description });
const fields: Readonly<Record<string, JsonSchemaObject>> = {
  owner_id: text("Id of the person in charge"),
  due_on: { type: "string", format: "date", description: "ISO date" },
  amount: { type: "number", minimum: 0, description: "In the account's currency" },
  priority: { type: "string", enum: ["low", "normal", "high"], default: "normal" },
  labels: { type: "array", items: { type: "string" }, maxItems: 20, description: "Free labels" },
  parent_id: text("Id of the record it belongs to"),
  email: { type: "string", format: "email", description: "Where notices go" },
  is_public: { type: "boolean", default: false, description: "Whether everybody in the company may see it" },
};

const verbs = ["list", "get", "create", "update", "delete"] as const;

/** The first tools of a catalog of 1,000: twenty services, ten kinds of records each, five tools for a kind. Always the same. */
export function madeTools(count: number): MadeTool[] {
  const all = services.flatMap(([service, about, kinds], at) =>
    kinds.split(" ").flatMap((kind, n) => verbs.map((verb) => madeTool(verb, service, about, kind, at + n))),
  );
  return all.slice(0, count);
}

function madeTool(verb: (typeof verbs)[number], service: string, about: string, kind: string, turn: number): MadeTool {
  const words = kind.replaceAll("_", " ");
  const names = Object.keys(fields);
  const own = Object.fromEntries(
    [0, 2, 5].map((step) => names[(turn + step) % names.length] as string).map((name) => [name, fields[name]]),
  );
  const id = text(`Id of the ${words}, as list_${kind}s gives it`);
  const title = text(`Name of the ${words}, on one line`);
  const notes = text("Anything that a colleague should know, as Markdown");
  const [description, properties, required] = {
    list: [
      `Finds ${words}s in ${about} by words and state. Newest first, with id, title, state and owner; more pages by the cursor.`,
      {
        query: text("Words that the title or the notes must have"),
        state: { type: "string", enum: ["open", "done", "archived"], default: "open" },
        limit: { type: "integer", minimum: 1, maximum: 100, default: 20, description: "How many at most" },
        cursor: text("From the page before"),
      },
      [],
    ],
    get: [`Reads one ${words} of ${about} with all of its fields and its history.`, { id }, ["id"]],
    create: [
      `Makes a new ${words} in ${about}. Gives its id. Look for an equal one first, since nothing is merged.`,
      { title, ...own, notes },
      ["title"],
    ],
    update: [
      `Changes fields of one ${words} in ${about}. Fields that are left out stay as they are.`,
      { id, title, ...own, notes },
      ["id"],
    ],
    delete: [
      `Deletes one ${words} of ${about} for good, with what belongs to it.`,
      { id, reason: text("Why, for the record") },
      ["id"],
    ],
  }[verb] as [string, Record<string, JsonSchemaObject>, string[]];
  return {
    name: `${service}_${verb}_${kind}${verb === "list" ? "s" : ""}`,
    description,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    annotations: {
      title: `${verb} ${words}`,
      readOnlyHint: verb === "list" || verb === "get",
      destructiveHint: verb === "delete",
      idempotentHint: verb !== "create",
    },
  };
}

/** The tool as a capability. It is described and never called. */
export function madeCapability(tool: MadeTool): AnyCapability {
  const [service, verb, ...kind] = tool.name.split("_");
  const { readOnlyHint, destructiveHint } = tool.annotations;
  return capabilityOf(
    { ...tool, execute: () => ({}) },
    {
      capId: `cap.${service}.${kind.join("_")}.${verb}.v1`,
      riskTier: readOnlyHint ? "LOW" : destructiveHint ? "HIGH" : "MEDIUM",
      effect: readOnlyHint ? "pure" : "keyed",
    },
  );
}
