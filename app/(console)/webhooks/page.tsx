import type { Metadata } from "next";
import { Suspense } from "react";
import { WebhooksView } from "./_components/webhooks-view";

export const metadata: Metadata = { title: "Webhooks" };

export default function WebhooksPage() {
  return (
    <Suspense>
      <WebhooksView />
    </Suspense>
  );
}
