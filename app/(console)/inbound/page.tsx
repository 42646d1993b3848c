import type { Metadata } from "next";
import { InboundView } from "./_components/inbound-view";

export const metadata: Metadata = { title: "Inbound" };

export default function InboundPage() {
  return <InboundView />;
}
