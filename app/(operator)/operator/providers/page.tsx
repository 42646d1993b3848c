import type { Metadata } from "next";
import { providersTexts as texts } from "@/app/_texts/operator/providers";
import { ProvidersView } from "./providers-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function ProvidersPage() {
  return <ProvidersView />;
}
