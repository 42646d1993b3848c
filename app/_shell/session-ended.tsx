"use client";

import { lazy, Suspense } from "react";
import { appTexts } from "@/app/_texts/app";
import { openDialog } from "../_ui/forms/dialogs";

const Form = lazy(() => import("./sign-in-again-form").then((file) => ({ default: file.SignInAgainForm })));

/**
 * Asks a person whose session has ended to sign in again, over the page that they are on, so that nothing they have
 * entered there is lost.
 * @param email of the person; another person would continue with this one's page.
 * @param leave leads away from the page.
 * @returns once they are signed in.
 */
export function askToSignIn(email: string, leave: () => void): Promise<void> {
  return new Promise((resolve) => {
    openDialog({
      title: appTexts.sessionEnded,
      canBeDismissed: false,
      onClose: resolve,
      content: (close) => (
        <Suspense>
          <Form email={email} onLeave={leave} onSignedIn={close} />
        </Suspense>
      ),
    });
  });
}
