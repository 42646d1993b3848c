import type { Metadata } from "next";
import { Suspense } from "react";
import { RequestsView } from "./requests-view";

export const metadata: Metadata = { title: "Request log" };

export default function RequestsPage() {
  return (
    <Suspense>
      <RequestsView />
    </Suspense>
  );
}
