import { getCountries } from "libphonenumber-js";
import type { Metadata } from "next";
import { ProfileView } from "./_components/profile-view";

export const metadata: Metadata = { title: "Profile" };

// The list of countries is passed on, so that the numbering plans behind it stay out of the browser.
export default function ProfilePage() {
  return <ProfileView countries={getCountries()} />;
}
