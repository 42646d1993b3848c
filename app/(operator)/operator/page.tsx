import type { Metadata } from "next";
import { operatorHomeTexts as texts } from "@/app/_texts/operator/home";
import { HomeView } from "./_home/home-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function OperatorHomePage() {
  return <HomeView />;
}
