import type { Metadata } from "next";
import { SendersView } from "./_components/senders-view";

export const metadata: Metadata = { title: "Senders" };

export default function SendersPage() {
  return <SendersView />;
}
