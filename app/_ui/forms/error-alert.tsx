import { Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { appTexts } from "@/app/_texts/app";
import { formsTexts } from "@/app/_texts/ui/forms";
import { isUnknown, knownOf } from "../changes/outcome";
import { Notice } from "../notice";
import { Problem } from "../problem";
import { apiErrorOf } from "./api-error";

/** Trying again would change nothing. */
const FORBIDDEN = 403;

/** Shows the API's message of a failed call. Renders nothing without an error, and offers no retry of what the person's role forbids. */
export function ErrorAlert({
  error,
  title = appTexts.requestFailed,
  onRetry,
}: {
  error: unknown;
  title?: string;
  onRetry?: () => void;
}) {
  if (!error) return null;
  const { message, status } = apiErrorOf(error);
  return (
    <Problem title={title}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{message}</Text>
        {onRetry && status !== FORBIDDEN && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {appTexts.tryAgain}
          </Button>
        )}
      </Stack>
    </Problem>
  );
}

/**
 * The error of an action that is carried out once, however often it is tried. A refusal is certain; without a response nobody
 * knows the outcome, and another try is safe.
 */
export function OnceAlert({
  error,
  title,
  unknown = formsTexts.unknown.title,
}: {
  error: unknown;
  title?: string;
  /** Title while the outcome is unknown. */
  unknown?: string;
}) {
  if (!error || !isUnknown(error)) return <ErrorAlert error={error} title={title} />;
  return (
    <Notice title={unknown} role="alert">
      {knownOf(error)} {formsTexts.unknown.tryAgain}
    </Notice>
  );
}

/**
 * Whether later data have shown that the change was made after all. The answer stays, whatever the person types next. Data that
 * were there when the error came prove nothing: they may have been read long before.
 */
function useIsAnswered(error: unknown, isStored: boolean): boolean {
  const [question, setQuestion] = useState({ error: null as unknown, isOpen: false, isAnswered: false });
  if (question.error !== error) setQuestion({ error, isOpen: !isStored, isAnswered: false });
  else if (isStored && question.isOpen) setQuestion({ error, isOpen: false, isAnswered: true });
  return question.isAnswered;
}

/** The error of a change that may be saved again and again. A refusal is certain; without a response nobody knows the outcome. */
export function SaveAlert({
  error,
  title,
  unknown = formsTexts.unknown.ofSave,
  again = formsTexts.unknown.saveAgain,
  isStored = false,
}: {
  error: unknown;
  title?: string;
  /** Title while the outcome is unknown. */
  unknown?: string;
  /** The person's next step then. */
  again?: string;
  /** Whether data show that the change is stored. */
  isStored?: boolean;
}) {
  const isAnswered = useIsAnswered(error, isStored);
  if (!error || !isUnknown(error)) return <ErrorAlert error={error} title={title} />;
  if (isAnswered) return null;
  return (
    <Notice title={unknown} role="alert">
      {knownOf(error)} {again}
    </Notice>
  );
}
