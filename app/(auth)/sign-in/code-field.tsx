import { TextInput, type TextInputProps } from "@mantine/core";
import { credentialsTexts as texts } from "@/app/_texts/auth/credentials";

/** The field for a code of an authenticator app, or a recovery code. It takes the focus: it is shown once it is asked for. */
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
