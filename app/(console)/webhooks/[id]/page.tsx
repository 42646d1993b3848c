import type { Metadata } from "next";
import { EndpointView } from "./_components/endpoint-view";

export const metadata: Metadata = { title: "Webhook endpoint" };

export default async function EndpointPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <EndpointView id={id} />;
}
