import { dropPerson } from "../_trpc/client";
import { rememberTestMode } from "../_trpc/test-mode";
import { forgetDrafts } from "../_ui/drafts/drafts";
import { toastFailed } from "../_ui/toast";

/** Ends the session. @returns the page to go to; undefined when something other than the service responded. */
async function endSession(): Promise<string | undefined> {
  const { signOut } = await import("next-auth/react");
  return (await signOut({ redirect: false, callbackUrl: "/sign-in" })).url;
}

/** Ends the session of this browser and leads to sign-in. If that fails, it says so and stays on the page. */
export async function signOutHere(): Promise<void> {
  const stay = dropPerson();
  let failure: unknown = null;
  const url = await endSession().catch((error: unknown) => {
    failure = error;
  });
  if (!url) {
    stay();
    return toastFailed(failure);
  }
  rememberTestMode(false);
  forgetDrafts(window.sessionStorage);
  window.location.assign(url);
}
