import type { Metadata } from "next";
import { endpointTexts as texts } from "@/app/_texts/webhooks/endpoint";
import { EndpointView } from "./_components/endpoint-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default async function EndpointPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <EndpointView id={id} />;
}
