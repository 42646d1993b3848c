import type { Metadata } from "next";
import { ForgottenPasswordForm } from "./forgotten-password-form";

export const metadata: Metadata = { title: "Forgotten password" };

export default function ForgottenPasswordPage() {
  return <ForgottenPasswordForm />;
}
