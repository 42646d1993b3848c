import type { Metadata } from "next";
import { apiKeysTexts as texts } from "@/app/_texts/api-keys/list";
import { ApiKeysView } from "./_components/api-keys-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function ApiKeysPage() {
  return <ApiKeysView />;
}
