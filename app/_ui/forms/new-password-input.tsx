import { PasswordInput, type PasswordInputProps } from "@mantine/core";

/** The field for a password that is chosen here, with advice on choosing it. */
export function NewPasswordInput({ label, ...field }: PasswordInputProps & { label: string }) {
  return (
    <PasswordInput
      label={label}
      description="A few words in a row are easier to remember and harder to guess."
      autoComplete="new-password"
      {...field}
    />
  );
}
