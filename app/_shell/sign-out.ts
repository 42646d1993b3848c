import { dropPerson } from "../_trpc/client";
import { rememberTestMode } from "../_trpc/test-mode";
import { forgetDrafts } from "../_ui/forms/drafts";

/** Ends the session of this browser and leads to sign-in. */
export async function signOutHere(): Promise<void> {
  dropPerson();
  rememberTestMode(false);
  forgetDrafts(window.sessionStorage);
  const { signOut } = await import("next-auth/react");
  await signOut({ callbackUrl: "/sign-in" });
}
