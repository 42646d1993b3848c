import type { Metadata } from "next";
import { suppressionsTexts as texts } from "@/app/_texts/suppressions/list";
import { SuppressionsView } from "./_components/suppressions-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function SuppressionsPage() {
  return <SuppressionsView />;
}
