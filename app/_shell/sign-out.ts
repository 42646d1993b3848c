import { dropPerson } from "../_trpc/client";
import { rememberTestMode } from "../_trpc/test-mode";
import { forgetDrafts } from "../_ui/forms/drafts";
import { toastFailed } from "../_ui/toast";

/** Ends the session of this browser and leads to sign-in. If it cannot be ended, it says so, and the page goes on. */
export async function signOutHere(): Promise<void> {
  const stay = dropPerson();
  try {
    const { signOut } = await import("next-auth/react");
    const { url } = await signOut({ redirect: false, callbackUrl: "/sign-in" });
    // What answered was not the service.
    if (!url) throw new Error("The session was not ended.");
    rememberTestMode(false);
    forgetDrafts(window.sessionStorage);
    window.location.assign(url);
  } catch (error) {
    stay();
    toastFailed(error);
  }
}
