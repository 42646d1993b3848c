import type { Metadata } from "next";
import { inboundMessageTexts as texts } from "@/app/_texts/inbound-message";
import { InboundMessageView } from "./_components/inbound-message-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default async function InboundMessagePage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <InboundMessageView id={id} />;
}
