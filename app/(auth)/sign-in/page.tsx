import type { Metadata } from "next";
import { signInTexts as texts } from "@/app/_texts/auth/sign-in";
import { SignInForm } from "./sign-in-form";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function SignInPage() {
  return <SignInForm />;
}
