import { getCountries } from "libphonenumber-js";
import type { Metadata } from "next";
import { profileTexts as texts } from "@/app/_texts/settings/profile";
import { ProfileView } from "./_components/profile-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

// The list of countries is passed on, so that the numbering plans behind it stay out of the browser.
export default function ProfilePage() {
  return <ProfileView countries={getCountries()} />;
}
