import type { Metadata } from "next";
import { shellTexts as texts } from "@/app/_texts/shell/shell";
import { OverviewView } from "./_overview/overview-view";

export const generateMetadata = (): Metadata => ({ title: texts.pages.overview });

export default function OverviewPage() {
  return <OverviewView />;
}
