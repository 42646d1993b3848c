import type { Metadata } from "next";
import { webhooksTexts as texts } from "@/app/_texts/webhooks/list";
import { WebhooksView } from "./_components/webhooks-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function WebhooksPage() {
  return <WebhooksView />;
}
