import { useEffect } from "react";
import { trpc } from "@/app/_trpc/client";

/**
 * Redirects people who are already signed in away from a page for strangers. The page itself cannot do so: it is the same for
 * everybody and was rendered at build time.
 * @param targetOf returns the address to go to.
 */
export function useLeaveWhenSignedIn(targetOf: () => string): void {
  const isSignedIn = trpc.auth.viewer.useQuery().isSuccess;
  useEffect(() => {
    if (isSignedIn) window.location.replace(targetOf());
  }, [isSignedIn, targetOf]);
}
