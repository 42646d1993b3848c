"use client";

import { Suspense } from "react";
import { appTexts } from "@/app/_texts/app";
import { lazily } from "@/app/_ui/connection/connection";
import { openDialog } from "./dialogs";

const Form = lazily(() => import("./confirm-password-form").then((file) => ({ default: file.ConfirmPasswordForm })));

/**
 * Asks for the password in a dialog. `confirm` sends it to the service, which refuses a wrong one at `password`.
 * @returns whether it was confirmed; false when the dialog was closed.
 */
export function askForPassword(confirm: (password: string) => Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    let isConfirmed = false;
    openDialog({
      title: appTexts.confirmPassword,
      onClose: () => resolve(isConfirmed),
      content: (close) => (
        <Suspense>
          <Form
            confirm={confirm}
            onCancel={close}
            onConfirmed={() => {
              isConfirmed = true;
              close();
            }}
          />
        </Suspense>
      ),
    });
  });
}
