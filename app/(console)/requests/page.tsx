import type { Metadata } from "next";
import { requestsTexts as texts } from "@/app/_texts/requests";
import { RequestsView } from "./requests-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function RequestsPage() {
  return <RequestsView />;
}
