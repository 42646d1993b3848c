import type { Metadata } from "next";
import { routesTexts as texts } from "@/app/_texts/operator/routes";
import { RoutesView } from "./routes-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function RoutesPage() {
  return <RoutesView />;
}
