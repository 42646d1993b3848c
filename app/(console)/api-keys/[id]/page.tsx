import type { Metadata } from "next";
import { apiKeyTexts as texts } from "@/app/_texts/api-keys/key";
import { ApiKeyView } from "./_components/api-key-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default async function ApiKeyPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <ApiKeyView id={id} />;
}
