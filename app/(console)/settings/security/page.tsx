import type { Metadata } from "next";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { SecurityView } from "./_components/security-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function SecurityPage() {
  return <SecurityView />;
}
