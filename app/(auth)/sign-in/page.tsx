import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { currentSession } from "@/server/auth/session";
import { SignInForm } from "./sign-in-form";

export const metadata: Metadata = { title: "Sign in" };

export default async function SignInPage({ searchParams }: { searchParams: Promise<{ next?: string | string[] }> }) {
  if (await currentSession()) redirect("/");
  const { next } = await searchParams;
  return <SignInForm next={typeof next === "string" ? next : "/"} />;
}
