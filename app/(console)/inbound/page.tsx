import type { Metadata } from "next";
import { inboundTexts as texts } from "@/app/_texts/inbound";
import { InboundView } from "./_components/inbound-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function InboundPage() {
  return <InboundView />;
}
