import {
  type AnyCapability,
  createRouter,
  defineCapability,
  MemoryStore,
  principal,
  type Router,
  type RouterOptions,
} from "@toolglot/trp-core";
import {
  type ClientEvent,
  type ClientOptions,
  createClient,
  inProcessTransport,
  type TrpClient,
} from "../src/index.ts";

export const agent = principal({ id: "agent", roles: ["user"] });
export const boss = principal({ id: "boss", roles: ["approver"] });

export interface World {
  router: Router;
  /** What happened, in order. */
  effects: string[];
  events: ClientEvent[];
  client(options?: Partial<ClientOptions>): TrpClient;
}

export function capabilities(effects: string[]): AnyCapability[] {
  return [
    defineCapability({
      capId: "cap.echo.v1",
      name: "echo",
      description: "Says the text again. Twice if asked.",
      riskTier: "LOW",
      ioClass: "READ",
      effect: "pure",
      args: { text: "string - What to say", "times?": "integer" },
      execute: ({ text }: { text: string }) => ({ said: text }),
    }),
    defineCapability({
      capId: "cap.note.add.v1",
      name: "add_note",
      description: "Adds a note.",
      riskTier: "MEDIUM",
      ioClass: "WRITE",
      effect: "opaque",
      args: { text: "string" },
      execute: ({ text }: { text: string }) => {
        effects.push(text);
        return { count: effects.length };
      },
    }),
    defineCapability({
      capId: "cap.mail.send.v1",
      name: "send_mail",
      description: "Sends a mail.",
      riskTier: "HIGH",
      ioClass: "WRITE",
      effect: "opaque",
      args: { to: "string" },
      execute: ({ to }: { to: string }) => {
        effects.push(`mail ${to}`);
        return { sent: true };
      },
    }),
    defineCapability({
      capId: "cap.slow.v1",
      name: "slow",
      description: "Takes its time.",
      riskTier: "LOW",
      ioClass: "READ",
      effect: "pure",
      args: { ms: "integer" },
      execute: async ({ ms }: { ms: number }) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        return { waited: ms };
      },
    }),
  ] as AnyCapability[];
}

export function world(options: RouterOptions = {}): World {
  const effects: string[] = [];
  const events: ClientEvent[] = [];
  const router = createRouter({
    store: new MemoryStore(),
    allowVolatile: true,
    capabilities: capabilities(effects),
    ...options,
  });
  return {
    router,
    effects,
    events,
    client: (more = {}) =>
      createClient({
        transport: inProcessTransport(router, agent),
        agentId: "test",
        retry: { baseMs: 5, capMs: 50, connectMs: 500 },
        onEvent: (event) => events.push(event),
        ...more,
      }),
  };
}
