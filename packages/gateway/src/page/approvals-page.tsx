import type { Router } from "@toolglot/trp-core";
import { Hono } from "hono";
import { type HostRules, hostCheck } from "../http/hosts.ts";
import type { Authenticator } from "../identity/authenticator.ts";
import type { Identity } from "../identity/types.ts";
import { type NameTool, toolFromId } from "../report/tool-names.ts";
import type { SecretMask } from "../secrets/mask.ts";
import { assets } from "./assets.ts";
import { Detail } from "./detail.tsx";
import { DoubtDetail, seenOf } from "./doubt.tsx";
import { eventStream } from "./event-stream.ts";
import { DecidedList, Done, DoubtList, WaitingList } from "./list.tsx";
import { Live } from "./live.ts";
import { Logins } from "./logins.ts";
import { pageKit } from "./page-kit.tsx";
import { type Approval, argumentLines, callOf, doubtLines, type LastDone, visibleJson } from "./rendered.ts";
import { signInRoutes } from "./sign-in-routes.tsx";
import { doubtId, justDecided, lastUsed, maxListed, olderThan } from "./view-data.ts";
import { type PageContext, type PageEnv, pageHeaders, pageLanguage, Visits } from "./visit.ts";

/** What the page for people is made of. */
export interface ApprovalsPageOptions {
  router: Router;
  auth: Authenticator;
  mask: SecretMask;
  listen: HostRules;
  /** Shows that a form is of this page; the same for all processes on the store. Default: of this process alone. */
  formKey?: string;
  /** Names the tool behind a capability. Default: what the capability's id says. */
  toolOf?: NameTool;
  /** When the same was last done. Default: when a request with the same fingerprint was last used. */
  lastDone?(approval: Approval): Promise<LastDone | undefined>;
}

/** The page for people. */
export interface ApprovalsPage {
  /** To be mounted at `/approvals`. */
  readonly routes: Hono<PageEnv>;
  /** Returns the path of a link that signs somebody in once, within five minutes: for a terminal that only they see. */
  signInLink(identity: Identity): string;
  /** Ends all streams. */
  close(): void;
}

/**
 * Creates the page on which people decide: `/approvals`. It is written on the server and works without JavaScript; a small script
 * shows what has changed meanwhile.
 */
export function createApprovalsPage(options: ApprovalsPageOptions): ApprovalsPage {
  const { router, auth, mask, listen, toolOf = toolFromId } = options;
  const lastDone = options.lastDone ?? ((approval: Approval) => lastUsed(router, approval));
  const logins = new Logins(auth, router.store, options.formKey);
  const live = new Live(router);
  const visits = new Visits(logins, hostCheck(listen), listen.publicUrl);
  const kit = pageKit(router, logins, visits);
  const { viewOf, show, problem, signIn, withVisit, withForm } = kit;
  const routes = new Hono<PageEnv>();

  routes.use(pageHeaders, ...pageLanguage(listen.publicUrl));
  routes.onError((error, context) => {
    const answer = kit.problemOf(context as PageContext, error);
    if (answer === undefined) throw error;
    return answer;
  });
  for (const { path, type, text } of Object.values(assets)) {
    const headers = { "content-type": type, "cache-control": "public, max-age=31536000, immutable" };
    routes.get(path, (context) => context.body(text, 200, headers));
  }

  routes.get("/", async (context) => {
    const visit = await visits.login(context);
    if (visit === undefined) return signIn(context, "/approvals");
    const { overview, ...view } = await viewOf(context, visit);
    const decided = await justDecided(router, visit.identity, context.req.query("done"));
    const before = context.req.query("before");
    const filter = { status: "pending", limit: maxListed } as const;
    const waiting =
      before === undefined
        ? (overview?.waiting ?? [])
        : await router.approvals.list(visit.identity.principal, { ...filter, before });
    const body = (
      <>
        {decided && <Done words={view.words} approval={decided} toolOf={toolOf} />}
        <WaitingList {...{ view, router, toolOf }} approvals={mask.maskData(waiting)} {...olderThan(waiting)} />
      </>
    );
    return show(context, view, body, { tab: "waiting" });
  });

  signInRoutes(routes, { auth, logins, visits, kit });
  routes.get("/events", async (context) => {
    const visit = await visits.login(context);
    if (visit === undefined) return context.body(null, 204);
    return eventStream(live, logins, visit);
  });

  routes.get(
    "/decided",
    withVisit(async (context, visit) => {
      const { overview: _, ...view } = await viewOf(context, visit);
      const before = context.req.query("before");
      const all = await router.approvals.list(visit.identity.principal, {
        limit: maxListed,
        ...(before !== undefined && { before }),
      });
      const approvals = mask.maskData(all.filter(({ status }) => status !== "pending"));
      const body = <DecidedList {...{ view, router, toolOf, approvals }} {...olderThan(all)} />;
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
      const all = await router.operations.inDoubt(principal, maxListed);
      const doubt = all.find((one) => doubtId(one) === context.req.param("id"));
      if (doubt === undefined) return problem(context, 409, "noLonger");
      if (form.get("seen") !== seenOf(doubt)) return problem(context, 409, "changed");
      const answer = form.get("answer");
      if (answer !== "happened" && answer !== "not-happened") return problem(context, 400, "notRight");
      const { scope, key } = doubt;
      // The caller gets this in place of the result, which nobody has.
      const value = `This call has happened, as ${principal.id} found out. Its result is lost.`;
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
