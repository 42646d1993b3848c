"use client";

import { Suspense } from "react";
import { appTexts } from "@/app/_texts/app";
import { lazily } from "@/app/_ui/connection/connection";
import { openDialog } from "../_ui/forms/dialogs";
import type { PasskeySignIn } from "./sign-in-again-form";

const Form = lazily(() => import("./sign-in-again-form").then((file) => ({ default: file.SignInAgainForm })));

type Question = { email: string; close: () => void };

let question: Question | null = null;

/** The question to sign in that is open now; null: none. */
export const openQuestion = (): Question | null => question;

/**
 * Asks a person whose session has ended to sign in again, over the page that they are on, so that nothing they have
 * entered there is lost.
 * @param email of the person; another person would continue with this one's page.
 * @param passkeys has the service take part in a sign-in with a passkey.
 * @param leave leads away from the page.
 * @returns once they are signed in.
 */
export function askToSignIn(email: string, passkeys: PasskeySignIn, leave: () => void): Promise<void> {
  return new Promise((resolve) => {
    const close = openDialog({
      title: appTexts.sessionEnded,
      canBeDismissed: false,
      onClose: () => {
        question = null;
        resolve();
      },
      content: (onSignedIn) => (
        <Suspense>
          <Form email={email} passkeys={passkeys} onLeave={leave} onSignedIn={onSignedIn} />
        </Suspense>
      ),
    });
    question = { email, close };
  });
}
