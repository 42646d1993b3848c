import { signOut } from "next-auth/react";
import { forgetPerson } from "../_trpc/client";
import { rememberTestMode } from "../_trpc/test-mode";

/** Ends the session of this browser and leads to sign-in. */
export function signOutHere(): void {
  forgetPerson();
  rememberTestMode(false);
  void signOut({ callbackUrl: "/sign-in" });
}
