import type { Metadata } from "next";
import { auditTexts as texts } from "@/app/_texts/settings/audit";
import { AuditView } from "./audit-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function AuditPage() {
  return <AuditView />;
}
