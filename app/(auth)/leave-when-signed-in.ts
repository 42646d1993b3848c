import { useEffect } from "react";
import { trpc } from "@/app/_trpc/client";

/**
 * Leads somebody who is signed in already away from a page for strangers. The page itself cannot: it is the same for
 * everybody, and was made when the service was built.
 * @param targetOf says where to.
 */
export function useLeaveWhenSignedIn(targetOf: () => string): void {
  const isSignedIn = trpc.auth.viewer.useQuery().isSuccess;
  useEffect(() => {
    if (isSignedIn) window.location.replace(targetOf());
  }, [isSignedIn, targetOf]);
}
