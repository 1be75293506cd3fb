import { ToolglotError } from "@toolglot/core";
import type { Router } from "@toolglot/trp-core";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { readBody, textOf } from "../http/body.ts";
import { Note, page, type Tab, type View } from "./layout.tsx";
import type { Logins } from "./logins.ts";
import type { Markup } from "./markup.ts";
import { SignIn } from "./sign-in.tsx";
import { type Overview, overviewOf } from "./view-data.ts";
import type { PageContext, Visit, Visits } from "./visit.ts";
import { words as allWords, type Words } from "./words.ts";

/** A comment has at most a thousand characters; no form is larger. */
const maxFormBytes = 64 * 1024;

type Handler = (context: PageContext) => Promise<Response>;

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

/** What all handlers of the page answer with. */
export interface PageKit {
  /** What is the same on every page of a request; `overview` only for who has signed in. */
  viewOf(context: PageContext, visit?: Visit): Promise<View & { overview?: Overview }>;
  show(
    context: PageContext,
    view: View,
    body: Markup,
    more?: { status?: ContentfulStatusCode; title?: string; tab?: Tab },
  ): Response | Promise<Response>;
  /** A page that says what went wrong. */
  problem(context: PageContext, status: ContentfulStatusCode, word: Problem): Promise<Response>;
  /** The page for an error of the router; undefined for one that is nobody's business. */
  problemOf(context: PageContext, error: unknown): Promise<Response> | undefined;
  /** The form that takes a token. */
  signIn(context: PageContext, next: string, wrong?: Problem): Promise<Response>;
  /** Runs a handler for somebody who has signed in; everybody else gets the form. */
  withVisit(handler: (context: PageContext, visit: Visit) => Promise<Response>): Handler;
  /** Runs a handler with a form that was sent from a page of this server. */
  withForm(
    handler: (context: PageContext, form: URLSearchParams, visit: Visit | undefined) => Promise<Response>,
  ): Handler;
}

export function pageKit(router: Router, logins: Logins, visits: Visits): PageKit {
  const viewOf: PageKit["viewOf"] = async (context, visit) => {
    const url = new URL(context.req.url);
    url.searchParams.delete("lang");
    const language = context.get("language");
    // A form can't be shown again by its address.
    const address = context.req.method === "GET" ? url.pathname + url.search : "/approvals";
    const view = { language, words: allWords[language], now: router.store.now(), address };
    if (visit === undefined) return view;
    const overview = await overviewOf(router, visit.identity);
    const { waiting, inDoubt, mark } = overview;
    const account = {
      ...{ name: visit.identity.principal.id, key: logins.formKey(visit.cookie), mark },
      ...{ waiting: waiting.length, inDoubt: inDoubt?.length },
    };
    return { ...view, account, overview };
  };

  const show: PageKit["show"] = (context, view, body, more = {}) => {
    const { status = 200, title = view.words.title, tab } = more;
    return context.html(page({ view, title, ...(tab && { tab }), children: body }), status);
  };

  const problem: PageKit["problem"] = async (context, status, word) => {
    // Without a look into the store, which may be what fails.
    const language = context.get("language");
    const view: View = { language, words: allWords[language], now: router.store.now(), address: "/approvals" };
    const body = (
      <>
        <h1>{view.words.title}</h1>
        <Note kind="bad">{view.words[word]}</Note>
        <a href="/approvals">{view.words.back}</a>
      </>
    );
    return show(context, view, body, { status });
  };

  const signIn: PageKit["signIn"] = async (context, next, wrong) => {
    const view = await viewOf(context);
    const more = wrong === undefined ? {} : { problem: view.words[wrong] };
    const body = <SignIn view={view} formKey={visits.formKey(context)} next={next} {...more} />;
    return show(context, view, body, {
      status: wrong === undefined && next === "/approvals" ? 200 : 401,
      title: view.words.signIn,
    });
  };

  const withVisit: PageKit["withVisit"] = (handler) => async (context) => {
    const visit = await visits.login(context);
    return visit === undefined ? signIn(context, context.req.path) : handler(context, visit);
  };

  const withForm: PageKit["withForm"] = (handler) => async (context) => {
    const visit = await visits.login(context);
    const isForm = context.req.header("content-type")?.startsWith("application/x-www-form-urlencoded");
    const bytes = isForm ? await readBody(context.req.raw, maxFormBytes).catch(() => undefined) : undefined;
    const form = new URLSearchParams((bytes && textOf(bytes)) ?? "");
    if (!visits.isOwnForm(context, form.get("key"), visit)) return problem(context, 403, "notRight");
    return handler(context, form, visit);
  };

  const problemOf: PageKit["problemOf"] = (context, error) => {
    const code = ToolglotError.isInstance(error) ? error.code : "";
    const known = problems[code] ?? (/^(?:trp\/store-|config\/)/.test(code) ? lost : undefined);
    return known && problem(context, ...known);
  };

  return { viewOf, show, problem, problemOf, signIn, withVisit, withForm };
}
