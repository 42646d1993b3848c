import { useEffect } from "react";
import { trpc } from "@/app/_trpc/client";

/**
 * Redirects somebody who is already signed in from a page for strangers. The page itself cannot: it is the same for everybody,
 * and was rendered when the service was built.
 * @param targetOf says where to.
 */
export function useLeaveWhenSignedIn(targetOf: () => string): void {
  const isSignedIn = trpc.auth.viewer.useQuery().isSuccess;
  useEffect(() => {
    if (isSignedIn) window.location.replace(targetOf());
  }, [isSignedIn, targetOf]);
}
