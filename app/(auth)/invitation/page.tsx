import type { Metadata } from "next";
import { Suspense } from "react";
import { invitationTexts as texts } from "@/app/_texts/auth/invitation";
import { InvitationForm } from "./invitation-form";

// The address holds the token.
export const generateMetadata = (): Metadata => ({ title: texts.label, referrer: "no-referrer" });

/** The same for everybody: the token is read in the browser, so strangers are served without a render. */
export default function InvitationPage() {
  return (
    <Suspense>
      <InvitationForm />
    </Suspense>
  );
}
