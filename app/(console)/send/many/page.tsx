import type { Metadata } from "next";
import { sendManyTexts as texts } from "@/app/_texts/send/many";
import { ManyView } from "./_components/many-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function SendManyPage() {
  return <ManyView />;
}
