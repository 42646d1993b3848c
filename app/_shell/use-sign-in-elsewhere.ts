import { createTRPCClient, httpLink } from "@trpc/client";
import { useEffect } from "react";
import type { AppRouter } from "@/server/api/router";
import { pageHeaders } from "../_trpc/client";
import { openQuestion } from "./session-ended";

/** Answers the question to sign in if the same person has done so in another tab, for the account that this page shows. */
async function look(): Promise<void> {
  const question = openQuestion();
  if (!question) return;
  // A client of its own: a refused call of the page's client waits for the very answer.
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
