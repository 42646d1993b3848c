import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { currentSession } from "@/server/auth/session";
import { SignUpForm } from "./sign-up-form";

export const metadata: Metadata = { title: "Create an account" };

export default async function SignUpPage() {
  if (await currentSession()) redirect("/");
  return <SignUpForm />;
}
