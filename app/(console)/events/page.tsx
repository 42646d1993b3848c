import type { Metadata } from "next";
import { eventsTexts as texts } from "@/app/_texts/events";
import { EventsView } from "./_components/events-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function EventsPage() {
  return <EventsView />;
}
