import type { Metadata } from "next";
import { OperatorAuditView } from "./operator-audit-view";

export const metadata: Metadata = { title: "All audit entries" };

export default function OperatorAuditPage() {
  return <OperatorAuditView />;
}
