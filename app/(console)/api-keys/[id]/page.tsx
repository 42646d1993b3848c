import type { Metadata } from "next";
import { ApiKeyView } from "./_components/api-key-view";

export const metadata: Metadata = { title: "API key" };

export default async function ApiKeyPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <ApiKeyView id={id} />;
}
