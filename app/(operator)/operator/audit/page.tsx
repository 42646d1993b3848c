import type { Metadata } from "next";
import { operatorAuditTexts as texts } from "@/app/_texts/operator/audit";
import { OperatorAuditView } from "./operator-audit-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function OperatorAuditPage() {
  return <OperatorAuditView />;
}
