import type { Metadata } from "next";
import { alertsTexts as texts } from "@/app/_texts/settings/alerts";
import { AlertsView } from "./_components/alerts-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function AlertsPage() {
  return <AlertsView />;
}
