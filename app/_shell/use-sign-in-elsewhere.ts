import { createTRPCClient, httpLink } from "@trpc/client";
import { useEffect } from "react";
import type { AppRouter } from "@/server/api/router";
import { pageHeaders } from "../_trpc/client";
import { openQuestion } from "./session-ended";

/** Closes the sign-in dialog if the same person has signed in in another tab, for the account that this page shows. */
async function look(): Promise<void> {
  const question = openQuestion();
  if (!question) return;
  // A separate client: a refused call of the page's own client would itself wait for the sign-in.
  const client = createTRPCClient<AppRouter>({
    links: [httpLink({ url: "/api/trpc", methodOverride: "POST", headers: pageHeaders })],
  });
  // Refused for a session of another account.
  const viewer = await client.auth.viewer.query().catch(() => null);
  if (viewer?.email === question.email) question.close();
}

/** Looks for a sign-in in another tab whenever the page comes into view. */
export function useSignInElsewhere(): void {
  useEffect(() => {
    const onChange = () => {
      if (document.visibilityState === "visible") void look();
    };
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, []);
}
