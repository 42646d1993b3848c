import type { Metadata } from "next";
import { forgottenPasswordTexts as texts } from "@/app/_texts/auth/forgotten-password";
import { ForgottenPasswordForm } from "./forgotten-password-form";

export const generateMetadata = (): Metadata => ({ title: texts.pageTitle });

export default function ForgottenPasswordPage() {
  return <ForgottenPasswordForm />;
}
