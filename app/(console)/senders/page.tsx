import type { Metadata } from "next";
import { sendersTexts as texts } from "@/app/_texts/senders";
import { SendersView } from "./_components/senders-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function SendersPage() {
  return <SendersView />;
}
