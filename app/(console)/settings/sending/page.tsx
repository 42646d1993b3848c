import type { Metadata } from "next";
import { SendingView } from "./_components/sending-view";

export const metadata: Metadata = { title: "Sending" };

export default function SendingPage() {
  return <SendingView />;
}
