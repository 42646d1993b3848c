import type { Metadata } from "next";
import { InboundMessageView } from "./_components/inbound-message-view";

export const metadata: Metadata = { title: "Inbound message" };

export default async function InboundMessagePage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <InboundMessageView id={id} />;
}
