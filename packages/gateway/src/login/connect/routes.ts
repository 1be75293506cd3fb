import type { Principal } from "@toolglot/trp-core";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { HostEnv } from "../../http/types.ts";
import { loginFault } from "../errors.ts";
import { isAnswerTo, type StartedLogin } from "../oauth/code-flow.ts";
import type { LoginKey } from "../store/login-store.ts";
import type { LoginServer } from "../types.ts";
import { goingPage, type Page, pageOf, pageWords, startPage } from "./pages.ts";
import type { Seals } from "./seals.ts";

/** Who comes, for {@link connectRoutes}. */
export interface ConnectOptions {
  /** Who sends a request; undefined for nobody who is known. */
  identify(context: Context<HostEnv>): Promise<Principal | undefined> | Principal | undefined;
  /** Whose this `Authorization` header is: the token that a person typed into the form. */
  authenticate(authorization: string): Promise<Principal | undefined>;
  /** Whether somebody may log in for everybody, where a login is shared. Default: who has the role `approver`. */
  mayConnectShared?(principal: Principal): boolean;
}

/** What the routes need of logins. */
export interface ConnectFlow {
  server(name: string): LoginServer | undefined;
  /** Where answers for a server go to: the address that people reach these routes at. */
  redirectUri(name: string): string;
  keyOf(server: LoginServer, principal: Principal): LoginKey;
  start(
    server: LoginServer,
    redirectUri: string,
    key: LoginKey,
  ): Promise<{ authorizationUrl: string; started: StartedLogin }>;
  finish(key: LoginKey, started: StartedLogin, answer: URLSearchParams): Promise<void>;
  seals: Seals;
}

/** How long a person may take at the authorization server. */
const answerMs = 600_000;
/** What a browser keeps of one cookie; it drops longer ones without a word. */
const maxCookie = 3_900;
/** What a token in a form needs, and some. */
const maxForm = 8_192;

/**
 * Creates the routes of `/connect/SERVER`: a person says who they are, goes to the authorization server and comes back. What is between is
 * sealed in a cookie of their browser, so an answer counts in the browser alone in which its principal began, and any replica can take it.
 */
export function connectRoutes(flow: ConnectFlow, options: ConnectOptions): Hono<HostEnv> {
  const { identify, authenticate, mayConnectShared = ({ roles }) => roles.includes("approver") } = options;
  const { seals } = flow;
  const app = new Hono<HostEnv>();

  const show = (context: Context<HostEnv>, status: ContentfulStatusCode, { html, headers }: Page): Response => {
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
    return context.body(html, status);
  };
  const words = (context: Context<HostEnv>): ReturnType<typeof pageWords> =>
    pageWords(context.req.query("lang") ?? context.req.header("accept-language"));

  /** What is not for this person, as a page. */
  function refusal(
    context: Context<HostEnv>,
    server: LoginServer | undefined,
    name: string,
    who: Principal,
    ticket: string | undefined,
  ): Response | undefined {
    if (server === undefined) return show(context, 404, pageOf(words(context), "unknown", { server: name }));
    const { principal } = flow.keyOf(server, who);
    // A login that all share is begun by one person for another's call, too.
    const isTheirs = ticket === undefined || seals.isTicketFor(ticket, [name, who.tenant, who.id]);
    if (principal === undefined ? mayConnectShared(who) : isTheirs) return undefined;
    return show(context, 403, pageOf(words(context), "forbidden", { server: name }));
  }

  app.get("/:server", async (context) => {
    const name = context.req.param("server");
    const ticket = context.req.query("for");
    const who = await identify(context);
    // Nobody learns without a token which servers there are.
    if (who === undefined) {
      return show(context, 401, startPage(words(context), { server: name }, { needsToken: true, ticket }));
    }
    const server = flow.server(name);
    const refused = refusal(context, server, name, who, ticket);
    if (refused !== undefined || server === undefined) return refused as Response;
    const { principal } = flow.keyOf(server, who);
    return show(
      context,
      200,
      startPage(words(context), { server: name, who: principal?.id }, { needsToken: false, ticket }),
    );
  });

  app.post("/:server", bodyLimit({ maxSize: maxForm }), async (context) => {
    const name = context.req.param("server");
    const site = context.req.header("sec-fetch-site");
    if (site !== undefined && site !== "same-origin" && site !== "none") {
      return show(context, 403, pageOf(words(context), "foreign", { server: name }));
    }
    const form = await context.req.parseBody();
    const [token, ticket] = [form.token, form.for].map((value) => (typeof value === "string" ? value : undefined));
    const who = await (token === undefined ? identify(context) : authenticate(`Bearer ${token}`));
    if (who === undefined) {
      const isWrong = token !== undefined;
      return show(context, 401, startPage(words(context), { server: name }, { needsToken: true, isWrong, ticket }));
    }
    const server = flow.server(name);
    const refused = refusal(context, server, name, who, ticket);
    if (refused !== undefined || server === undefined) return refused as Response;
    const redirectUri = flow.redirectUri(name);
    try {
      const { authorizationUrl, started } = await flow.start(server, redirectUri, flow.keyOf(server, who));
      const sealed = seals.seal(
        { server: name, who: { tenant: who.tenant, id: who.id }, started },
        Date.now() + answerMs,
      );
      if (sealed.length > maxCookie) throw new Error("what the login has to remember is too long for a browser");
      setCookie(context, cookieName(started.state), sealed, cookieOptions(redirectUri));
      return show(context, 200, goingPage(words(context), { server: name }, authorizationUrl));
    } catch (error) {
      const why = loginFault(name, "the beginning", error).message;
      return show(context, 502, pageOf(words(context), "impossible", { server: name, why }));
    }
  });

  app.get("/:server/callback", async (context) => {
    const name = context.req.param("server");
    const answer = new URL(context.req.url).searchParams;
    const cookie = cookieName(answer.get("state") ?? "");
    const opened = seals.open(getCookie(context, cookie) ?? "");
    const server = flow.server(name);
    const foreign = (): Response => show(context, 400, pageOf(words(context), "foreign", { server: name }));
    if (opened === undefined || server === undefined || opened.server !== name) return foreign();
    const { started, who } = opened as unknown as { started: StartedLogin; who: Principal };
    if (!isAnswerTo(started, answer) || started.url !== server.url) return foreign();
    deleteCookie(context, cookie, cookieOptions(started.redirectUri));
    const now = await identify(context);
    if (now !== undefined && (now.tenant !== who.tenant || now.id !== who.id)) return foreign();
    try {
      await flow.finish(flow.keyOf(server, who), started, answer);
      return show(context, 200, pageOf(words(context), "done", { server: name }));
    } catch (error) {
      const why = loginFault(name, "the end", error).message;
      return show(context, 502, pageOf(words(context), "impossible", { server: name, why }));
    }
  });
  return app;
}

/** Several logins may run in one browser. */
function cookieName(state: string): string {
  return `toolglot-login-${state.slice(0, 16).replace(/[^\w-]/g, "")}`;
}

function cookieOptions(redirectUri: string): Parameters<typeof setCookie>[3] {
  const { pathname, protocol } = new URL(redirectUri);
  // `Lax`: the answer comes from another site, as a navigation.
  return { path: pathname, httpOnly: true, sameSite: "Lax", secure: protocol === "https:", maxAge: answerMs / 1000 };
}
