import type { Metadata } from "next";
import { ManyView } from "./_components/many-view";

export const metadata: Metadata = { title: "Send to many" };

export default function SendManyPage() {
  return <ManyView />;
}
