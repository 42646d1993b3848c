import type { Metadata } from "next";
import { RoutesView } from "./routes-view";

export const metadata: Metadata = { title: "Routes and prices" };

export default function RoutesPage() {
  return <RoutesView />;
}
