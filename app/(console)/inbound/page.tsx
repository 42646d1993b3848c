import type { Metadata } from "next";
import { Suspense } from "react";
import { InboundView } from "./_components/inbound-view";

export const metadata: Metadata = { title: "Inbound" };

export default function InboundPage() {
  return (
    <Suspense>
      <InboundView />
    </Suspense>
  );
}
