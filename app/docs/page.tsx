import type { Metadata } from "next";
import { docsTexts as texts } from "@/app/_texts/docs";
import { Reference } from "./_components/reference";

export const generateMetadata = (): Metadata => ({ title: texts.apiReference });

export default function ReferencePage() {
  return <Reference />;
}
