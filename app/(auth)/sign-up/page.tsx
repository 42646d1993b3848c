import type { Metadata } from "next";
import { signUpTexts as texts } from "@/app/_texts/auth/sign-up";
import { SignUpForm } from "./sign-up-form";

export const generateMetadata = (): Metadata => ({ title: texts.pageTitle });

export default function SignUpPage() {
  return <SignUpForm />;
}
