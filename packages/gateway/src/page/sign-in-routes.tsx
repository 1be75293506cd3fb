import type { Hono } from "hono";
import type { Authenticator } from "../identity/authenticator.ts";
import type { Logins } from "./logins.ts";
import type { PageKit } from "./page-kit.tsx";
import { SignInLink } from "./sign-in.tsx";
import type { PageEnv, Visits } from "./visit.ts";

/** Adds what signs people in and out: the form, links that are good once. */
export function signInRoutes(
  routes: Hono<PageEnv>,
  { auth, logins, visits, kit }: { auth: Authenticator; logins: Logins; visits: Visits; kit: PageKit },
): void {
  const { viewOf, show, signIn, withForm } = kit;
  routes.post(
    "/sign-in",
    withForm(async (context, form) => {
      const identity = await auth.authenticate(`Bearer ${(form.get("token") ?? "").trim()}`);
      const next = ownPath(form.get("next"));
      if (identity === undefined) return signIn(context, next, "wrongToken");
      visits.begin(context, await logins.begin(identity));
      return context.redirect(next, 303);
    }),
  );
  routes.get("/sign-in", (context) => context.redirect("/approvals", 303));
  routes.post(
    "/sign-out",
    withForm(async (context, _form, visit) => {
      if (visit !== undefined) await visits.end(context, visit.cookie);
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
      visits.begin(context, await logins.begin(identity));
      return context.redirect("/approvals", 303);
    }),
  );
}

/** Only to a page of this server: a form could name any other. */
function ownPath(next: string | null): string {
  return next !== null && /^\/approvals(?:\/[\w-]+){0,2}$/.test(next) ? next : "/approvals";
}
