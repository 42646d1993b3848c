import type { Metadata } from "next";
import { MessageView } from "./_components/message-view";

export const metadata: Metadata = { title: "Message" };

export default async function MessagePage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <MessageView id={id} />;
}
