import { TextInput, type TextInputProps } from "@mantine/core";
import { credentialsTexts as texts } from "@/app/_texts/auth/credentials";

/** The field for an authenticator or recovery code. It takes the focus, because it appears only when a code is asked for. */
export function CodeField(field: TextInputProps) {
  return (
    <TextInput
      label={texts.code}
      description={texts.codeHint}
      autoComplete="one-time-code"
      autoFocus
      required
      withAsterisk={false}
      {...field}
    />
  );
}
