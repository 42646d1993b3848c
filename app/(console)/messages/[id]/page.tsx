import type { Metadata } from "next";
import { messageTexts as texts } from "@/app/_texts/messages/detail";
import { MessageView } from "./_components/message-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default async function MessagePage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <MessageView id={id} />;
}
