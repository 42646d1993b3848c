import type { Metadata } from "next";
import { Suspense } from "react";
import { invitationTexts as texts } from "@/app/_texts/auth/invitation";
import { InvitationForm } from "./invitation-form";

// The address holds the token.
export const generateMetadata = (): Metadata => ({ title: texts.label, referrer: "no-referrer" });

/** The page is the same for everybody, because the browser reads the token; so it is prerendered. */
export default function InvitationPage() {
  return (
    <Suspense>
      <InvitationForm />
    </Suspense>
  );
}
