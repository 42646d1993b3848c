import type { Metadata } from "next";
import { Suspense } from "react";
import { SendersView } from "./_components/senders-view";

export const metadata: Metadata = { title: "Senders" };

export default function SendersPage() {
  return (
    <Suspense>
      <SendersView />
    </Suspense>
  );
}
