import type { Metadata } from "next";
import { appTexts } from "@/app/_texts/app";
import { NotFoundView } from "./_shell/not-found-view";

export const generateMetadata = (): Metadata => ({ title: appTexts.notFound.title });

export default function NotFound() {
  return <NotFoundView />;
}
