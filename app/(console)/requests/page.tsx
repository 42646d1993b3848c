import type { Metadata } from "next";
import { RequestsView } from "./requests-view";

export const metadata: Metadata = { title: "Request log" };

export default function RequestsPage() {
  return <RequestsView />;
}
