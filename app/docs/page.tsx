import type { Metadata } from "next";
import { Reference } from "./_components/reference";

export const metadata: Metadata = { title: "API reference" };

export default function ReferencePage() {
  return <Reference />;
}
