import type { Metadata } from "next";
import { EventsView } from "./_components/events-view";

export const metadata: Metadata = { title: "Events" };

export default function EventsPage() {
  return <EventsView />;
}
