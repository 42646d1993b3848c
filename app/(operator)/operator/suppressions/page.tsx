import type { Metadata } from "next";
import { allSuppressionsTexts as texts } from "@/app/_texts/operator/suppressions";
import { SuppressedView } from "./suppressed-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function SuppressedPage() {
  return <SuppressedView />;
}
