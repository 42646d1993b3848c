import type { Metadata } from "next";
import { Suspense } from "react";
import { OperatorAuditView } from "./operator-audit-view";

export const metadata: Metadata = { title: "All audit entries" };

export default function OperatorAuditPage() {
  return (
    <Suspense>
      <OperatorAuditView />
    </Suspense>
  );
}
