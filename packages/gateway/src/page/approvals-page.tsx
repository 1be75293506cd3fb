import { type JsonValue, ToolglotError } from "@toolglot/core";
import type { Router } from "@toolglot/trp-core";
import { type Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { readBody, textOf } from "../http/body.ts";
import { type HostRules, hostCheck } from "../http/hosts.ts";
import type { Authenticator } from "../identity/authenticator.ts";
import type { Identity } from "../identity/types.ts";
import type { SecretMask } from "../secrets/mask.ts";
import { assets } from "./assets.ts";
import { Detail, type LastDone } from "./detail.tsx";
import { DoubtDetail, seenOf } from "./doubt.tsx";
import { Note, page, type Tab, type View } from "./layout.tsx";
import { DecidedList, DoubtList, WaitingList } from "./list.tsx";
import { Live } from "./live.ts";
import { Logins } from "./logins.ts";
import type { Markup } from "./markup.ts";
import { type Approval, argumentLines, callOf, type Doubt, doubtLines, visibleJson } from "./rendered.ts";
import { SignIn, SignInLink } from "./sign-in.tsx";
import { type NameTool, ToolName, toolFromId } from "./tool-name.tsx";
import { doubtId, mostListed, overviewOf } from "./view-data.ts";
import { type PageEnv, pageHeaders, pageLanguage, Visits } from "./visit.ts";
import { words as allWords, type Words } from "./words.ts";

/** What the page for people is made of. */
export interface ApprovalsPageOptions {
  router: Router;
  auth: Authenticator;
  mask: SecretMask;
  listen: HostRules;
  /** Names the tool behind a capability. Default: what the capability's id says. */
  toolOf?: NameTool;
  /** When the same was last done. Default: when a request with the same fingerprint was last used. */
  lastDone?(approval: Approval): Promise<LastDone | undefined>;
  /** The result of a call that somebody says has happened. Default null. */
  doneValue?(doubt: Doubt): JsonValue;
}

/** The page for people. */
export interface ApprovalsPage {
  /** To be mounted at `/approvals`. */
  readonly routes: Hono<PageEnv>;
  /** Returns the path of a link that signs somebody in once, within five minutes: for a terminal that only they see. */
  signInLink(identity: Identity): string;
  /** Ends all logins and streams. */
  close(): void;
}

type PageContext = Context<PageEnv>;
type Visit = NonNullable<ReturnType<Visits["login"]>>;

/** A comment has at most a thousand characters; no form is larger. */
const maxFormBytes = 64 * 1024;

/**
 * Creates the page on which people decide: `/approvals`. It is written on the server and works without JavaScript; a small script
 * shows what has changed meanwhile.
 */
export function createApprovalsPage(options: ApprovalsPageOptions): ApprovalsPage {
  const { router, auth, mask, listen, toolOf = toolFromId } = options;
  const lastDone = options.lastDone ?? ((approval: Approval) => lastUsed(router, approval));
  const logins = new Logins(auth);
  const live = new Live(router);
  const visits = new Visits(logins, hostCheck(listen), listen.publicUrl);
  const routes = new Hono<PageEnv>();

  const viewOf = async (context: PageContext, visit?: Visit): Promise<View & { overview?: Overview }> => {
    const url = new URL(context.req.url);
    url.searchParams.delete("lang");
    const language = context.get("language");
    // A form can't be shown again by its address.
    const address = context.req.method === "GET" ? url.pathname + url.search : "/approvals";
    const view = { language, words: allWords[language], address };
    if (visit === undefined) return view;
    const overview = await overviewOf(router, visit.identity);
    const { waiting, inDoubt, mark } = overview;
    const account = {
      ...{ name: visit.identity.principal.id, key: logins.formKey(visit.cookie), mark },
      ...{ waiting: waiting.length, inDoubt: inDoubt?.length },
    };
    return { ...view, account, overview };
  };

  const show = (
    context: PageContext,
    view: View,
    body: Markup,
    more: { status?: ContentfulStatusCode; title?: string; tab?: Tab } = {},
  ): Response | Promise<Response> => {
    const { status = 200, title = view.words.title, tab } = more;
    return context.html(page({ view, title, ...(tab && { tab }), children: body }), status);
  };

  const problem = async (context: PageContext, status: ContentfulStatusCode, word: Problem): Promise<Response> => {
    // Without a look into the store, which may be what fails.
    const language = context.get("language");
    const view: View = { language, words: allWords[language], address: "/approvals" };
    const body = (
      <>
        <h1>{view.words.title}</h1>
        <Note kind="bad">{view.words[word]}</Note>
        <a href="/approvals">{view.words.back}</a>
      </>
    );
    return show(context, view, body, { status });
  };

  const signIn = async (context: PageContext, next: string, wrong?: Problem): Promise<Response> => {
    const view = await viewOf(context);
    const more = wrong === undefined ? {} : { problem: view.words[wrong] };
    const body = <SignIn view={view} formKey={visits.formKey(context)} next={next} {...more} />;
    return show(context, view, body, {
      status: wrong === undefined && next === "/approvals" ? 200 : 401,
      title: view.words.signIn,
    });
  };

  /** Runs a handler for somebody who has signed in; everybody else gets the form. */
  const withVisit =
    (handler: (context: PageContext, visit: Visit) => Promise<Response>) =>
    async (context: PageContext): Promise<Response> => {
      const visit = visits.login(context);
      return visit === undefined ? signIn(context, context.req.path) : handler(context, visit);
    };

  /** Runs a handler with a form that was sent from a page of this server. */
  const withForm =
    (handler: (context: PageContext, form: URLSearchParams, visit: Visit | undefined) => Promise<Response>) =>
    async (context: PageContext): Promise<Response> => {
      const visit = visits.login(context);
      const isForm = context.req.header("content-type")?.startsWith("application/x-www-form-urlencoded");
      const bytes = isForm ? await readBody(context.req.raw, maxFormBytes).catch(() => undefined) : undefined;
      const form = new URLSearchParams((bytes && textOf(bytes)) ?? "");
      if (!visits.isOwnForm(context, form.get("key"), visit)) return problem(context, 403, "notRight");
      return handler(context, form, visit);
    };

  routes.use(pageHeaders, ...pageLanguage(listen.publicUrl));
  routes.onError((error, context) => {
    const code = ToolglotError.isInstance(error) ? error.code : "";
    const [status, word] = problems[code] ?? (code.startsWith("trp/store-") || code.startsWith("config/") ? lost : []);
    if (status === undefined || word === undefined) throw error;
    return problem(context as PageContext, status, word);
  });
  for (const { path, type, text } of Object.values(assets)) {
    const headers = { "content-type": type, "cache-control": "public, max-age=31536000, immutable" };
    routes.get(path, (context) => context.body(text, 200, headers));
  }

  routes.get("/", async (context) => {
    const visit = visits.login(context);
    if (visit === undefined) return signIn(context, "/approvals");
    const { overview, ...view } = await viewOf(context, visit);
    const decided = await justDecided(router, visit.identity, context.req.query("done"));
    const body = (
      <>
        {decided && <Done words={view.words} approval={decided} toolOf={toolOf} />}
        <WaitingList {...{ view, router, toolOf }} approvals={mask.maskData(overview?.waiting ?? [])} />
      </>
    );
    return show(context, view, body, { tab: "waiting" });
  });

  routes.post(
    "/sign-in",
    withForm(async (context, form) => {
      const identity = await auth.authenticate(`Bearer ${(form.get("token") ?? "").trim()}`);
      const next = ownPath(form.get("next"));
      if (identity === undefined) return signIn(context, next, "wrongToken");
      visits.begin(context, logins.begin(identity));
      return context.redirect(next, 303);
    }),
  );
  routes.get("/sign-in", (context) => context.redirect("/approvals", 303));
  routes.post(
    "/sign-out",
    withForm(async (context, _form, visit) => {
      if (visit !== undefined) visits.end(context, visit.cookie);
      return context.redirect("/approvals", 303);
    }),
  );
  routes.get("/link/:code", async (context) => {
    const code = context.req.param("code");
    const identity = logins.linked(code);
    if (identity === undefined) return signIn(context, "/approvals", "linkGone");
    const view = await viewOf(context);
    const formKey = visits.formKey(context);
    return show(context, view, <SignInLink {...{ view, formKey, code }} name={identity.principal.id} />, {
      title: view.words.signIn,
    });
  });
  routes.post(
    "/link/:code",
    withForm(async (context) => {
      const identity = logins.takeLink(context.req.param("code") ?? "");
      if (identity === undefined) return signIn(context, "/approvals", "linkGone");
      visits.begin(context, logins.begin(identity));
      return context.redirect("/approvals", 303);
    }),
  );

  routes.get("/events", async (context) => {
    const visit = visits.login(context);
    if (visit === undefined) return context.body(null, 204);
    return events(live, logins, visit);
  });

  routes.get(
    "/decided",
    withVisit(async (context, visit) => {
      const { overview: _, ...view } = await viewOf(context, visit);
      const before = context.req.query("before");
      const all = await router.approvals.list(visit.identity.principal, {
        limit: mostListed,
        ...(before !== undefined && { before }),
      });
      const older = all.length === mostListed ? all.at(-1)?.id : undefined;
      const approvals = mask.maskData(all.filter(({ status }) => status !== "pending"));
      const body = <DecidedList {...{ view, router, toolOf, approvals }} {...(older !== undefined && { older })} />;
      return show(context, view, body, { tab: "decided", title: view.words.decided });
    }),
  );

  routes.get(
    "/in-doubt",
    withVisit(async (context, visit) => {
      const { overview, ...view } = await viewOf(context, visit);
      if (overview?.inDoubt === undefined) return problem(context, 404, "notFound");
      const body = <DoubtList {...{ view, router, toolOf }} doubts={mask.maskData(overview.inDoubt)} />;
      return show(context, view, body, { tab: "in-doubt", title: view.words.inDoubt });
    }),
  );
  routes.get(
    "/in-doubt/:id",
    withVisit(async (context, visit) => {
      const { overview, ...view } = await viewOf(context, visit);
      const doubt = overview?.inDoubt?.find((one) => doubtId(one) === context.req.param("id"));
      if (doubt === undefined) return problem(context, 404, "notFound");
      const call = callOf(doubt);
      const shownCall = call && { ...call, args: mask.maskData(call.args) };
      const lines = shownCall === undefined ? [] : doubtLines(router, doubt, shownCall);
      const raw = visibleJson(shownCall?.args ?? null);
      // The name of the form has to stay that of the operation, whatever stands in its key.
      const shown = { ...doubt, reason: mask.mask(doubt.reason ?? "") };
      const body = <DoubtDetail {...{ view, lines, raw, toolOf }} doubt={shown} call={shownCall} />;
      return show(context, view, body, { tab: "in-doubt", title: view.words.inDoubt });
    }),
  );
  routes.post(
    "/in-doubt/:id",
    withForm(async (context, form, visit) => {
      if (visit === undefined) return signIn(context, "/approvals/in-doubt");
      const { principal } = visit.identity;
      const all = await router.operations.inDoubt(principal, mostListed);
      const doubt = all.find((one) => doubtId(one) === context.req.param("id"));
      if (doubt === undefined) return problem(context, 409, "noLonger");
      if (form.get("seen") !== seenOf(doubt)) return problem(context, 409, "changed");
      const answer = form.get("answer");
      if (answer !== "happened" && answer !== "not-happened") return problem(context, 400, "notRight");
      const { scope, key } = doubt;
      const value = options.doneValue?.(doubt) ?? null;
      await router.operations.resolve(
        principal,
        { scope, key },
        answer === "happened" ? { state: "done", value } : { state: "not-applied" },
      );
      return context.redirect("/approvals/in-doubt", 303);
    }),
  );

  routes.get(
    "/:id",
    withVisit(async (context, visit) => {
      const { overview: _, ...view } = await viewOf(context, visit);
      const { principal } = visit.identity;
      const approval = await router.approvals.read(principal, context.req.param("id") ?? "");
      if (approval === undefined) return problem(context, 404, "notFound");
      const shown = mask.maskData(approval);
      const body = (
        <Detail
          {...{ view, lines: argumentLines(router, shown), raw: visibleJson(shown.args) }}
          // What is approved is what the record says, whatever its text looks like.
          approval={{ ...shown, id: approval.id, fingerprint: approval.fingerprint }}
          tool={toolOf(approval.capId)}
          lastDone={await lastDone(approval)}
          isOwn={approval.requester === principal.id}
        />
      );
      const tool = toolOf(approval.capId);
      return show(context, view, body, { title: tool === undefined ? approval.capId : (tool.title ?? tool.tool) });
    }),
  );
  routes.post(
    "/:id",
    withForm(async (context, form, visit) => {
      const id = context.req.param("id") ?? "";
      if (visit === undefined) return signIn(context, "/approvals");
      const { principal } = visit.identity;
      const approval = await router.approvals.read(principal, id);
      if (approval === undefined) return problem(context, 404, "notFound");
      // What was seen is what is approved.
      if (form.get("fingerprint") !== approval.fingerprint) return problem(context, 409, "changed");
      const comment = form.get("comment")?.trim() || undefined;
      const decision = form.get("decision");
      if (decision !== "approve" && decision !== "deny") return problem(context, 400, "notRight");
      await router.approvals[decision](principal, id, comment);
      return context.redirect(`/approvals?done=${encodeURIComponent(id)}`, 303);
    }),
  );

  return {
    routes,
    signInLink: (identity) => `/approvals/link/${logins.link(identity)}`,
    close() {
      logins.close();
      live.close();
    },
  };
}

type Overview = Awaited<ReturnType<typeof overviewOf>>;
/** Words that are sentences about what went wrong. */
type Problem = { [Key in keyof Words]: Words[Key] extends string ? Key : never }[keyof Words];

/** What the router refuses, as a page says it. */
const problems: Readonly<Record<string, readonly [ContentfulStatusCode, Problem]>> = {
  "trp/approval-not-found": [404, "notFound"],
  "trp/approval-own-request": [403, "ownRequest"],
  "trp/approval-not-allowed": [403, "mayNotDecide"],
  "trp/approval-not-pending": [409, "noLonger"],
  "trp/not-allowed": [403, "mayNotDecide"],
  "trp/not-in-doubt": [409, "noLonger"],
};
const lost: readonly [ContentfulStatusCode, Problem] = [503, "unavailable"];

/** Only to a page of this server: a form could name any other. */
function ownPath(next: string | null): string {
  return next !== null && /^\/approvals(?:\/[\w-]+){0,2}$/.test(next) ? next : "/approvals";
}

async function justDecided(
  router: Router,
  { principal }: Identity,
  id: string | undefined,
): Promise<Approval | undefined> {
  const approval = id === undefined ? undefined : await router.approvals.read(principal, id);
  return approval?.decidedBy === principal.id ? approval : undefined;
}

function Done(props: { words: Words; approval: Approval; toolOf: NameTool }): Markup {
  const { words, approval, toolOf } = props;
  const isDenied = approval.status === "denied";
  return (
    <div class={`note ${isDenied ? "" : "good"}`} role="status">
      <p>
        {isDenied ? words.denied : words.approved}:{" "}
        <a href={`/approvals/${approval.id}`}>
          <ToolName tool={toolOf(approval.capId)} capId={approval.capId} />
        </a>
      </p>
    </div>
  );
}

/** Among the newest requests that were used. */
async function lastUsed(router: Router, { tenant, capId, fingerprint }: Approval): Promise<LastDone | undefined> {
  const used = await router.store.approvals.list({ tenant, status: "used", limit: 500 });
  const same = used.filter((one) => one.capId === capId && one.fingerprint === fingerprint && one.usedAt !== undefined);
  const [last] = same.sort((one, other) => (other.usedAt ?? 0) - (one.usedAt ?? 0));
  return last?.usedAt === undefined ? undefined : { at: last.usedAt, ...(last.decidedBy && { by: last.decidedBy }) };
}

/** A stream of marks, until the login ends or the reader is gone. */
function events(live: Live, logins: Logins, { identity, cookie }: Visit): Response {
  const encoder = new TextEncoder();
  let leave = (): void => {};
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string): void => {
        // Whoever reads too slowly misses marks; the next one says the same.
        if ((controller.desiredSize ?? 0) > -16) controller.enqueue(encoder.encode(text));
      };
      const stopLive = live.join(identity, (mark) => write(`event: state\ndata: ${mark}\n\n`));
      const beat = setInterval(() => write(": \n\n"), 15_000).unref();
      const stopLogin = logins.stream(cookie, () => {
        write("event: end\ndata: \n\n");
        leave();
        controller.close();
      });
      leave = () => {
        stopLive();
        stopLogin();
        clearInterval(beat);
      };
      write("retry: 3000\n\n");
    },
    cancel: () => leave(),
  });
  return new Response(stream, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}
