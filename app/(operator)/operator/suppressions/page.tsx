import type { Metadata } from "next";
import { SuppressedView } from "./suppressed-view";

export const metadata: Metadata = { title: "All suppressions" };

export default function SuppressedPage() {
  return <SuppressedView />;
}
