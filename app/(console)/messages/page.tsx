import type { Metadata } from "next";
import { messagesTexts as texts } from "@/app/_texts/messages/list";
import { MessagesView } from "./_components/messages-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function MessagesPage() {
  return <MessagesView />;
}
