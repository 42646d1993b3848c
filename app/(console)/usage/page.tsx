import type { Metadata } from "next";
import { usageTexts as texts } from "@/app/_texts/usage";
import { UsageView } from "./usage-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function UsagePage() {
  return <UsageView />;
}
