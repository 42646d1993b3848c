import type { Metadata } from "next";
import { Suspense } from "react";
import { resetPasswordTexts as texts } from "@/app/_texts/auth/reset-password";
import { ResetPasswordForm } from "./reset-password-form";

// The address holds the token.
export const generateMetadata = (): Metadata => ({ title: texts.title, referrer: "no-referrer" });

/** The page is the same for everybody, because the browser reads the token; so it is prerendered. */
export default function ResetPasswordPage() {
  return (
    <Suspense>
      <ResetPasswordForm />
    </Suspense>
  );
}
