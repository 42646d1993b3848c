import type { Metadata } from "next";
import { HomeView } from "./_home/home-view";

export const metadata: Metadata = { title: "Installation" };

export default function OperatorHomePage() {
  return <HomeView />;
}
