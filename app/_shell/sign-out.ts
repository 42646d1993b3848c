import { signOut } from "next-auth/react";
import { forgetPerson } from "../_trpc/client";

/** Ends the session of this browser and leads to sign-in. */
export function signOutHere(): void {
  forgetPerson();
  void signOut({ callbackUrl: "/sign-in" });
}
