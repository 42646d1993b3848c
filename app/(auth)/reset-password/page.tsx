import type { Metadata } from "next";
import { Suspense } from "react";
import { resetPasswordTexts as texts } from "@/app/_texts/auth/reset-password";
import { ResetPasswordForm } from "./reset-password-form";

// The address holds the token.
export const generateMetadata = (): Metadata => ({ title: texts.title, referrer: "no-referrer" });

/** The same for everybody, like sign-in: the token is read in the browser, so strangers are served without a render. */
export default function ResetPasswordPage() {
  return (
    <Suspense>
      <ResetPasswordForm />
    </Suspense>
  );
}
