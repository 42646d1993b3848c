import { PasswordInput, type PasswordInputProps } from "@mantine/core";
import { formsTexts as texts } from "@/app/_texts/ui/forms";

/** The field for a new password, with advice on choosing it. */
export function NewPasswordInput({ label, ...field }: PasswordInputProps & { label: string }) {
  return <PasswordInput label={label} description={texts.newPasswordHint} autoComplete="new-password" {...field} />;
}
