import type { Metadata } from "next";
import { teamTexts as texts } from "@/app/_texts/settings/team";
import { TeamView } from "./_components/team-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function TeamPage() {
  return <TeamView />;
}
