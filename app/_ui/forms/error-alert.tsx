import { Button, Stack, Text } from "@mantine/core";
import { appTexts } from "@/app/_texts/app";
import { formsTexts } from "@/app/_texts/ui/forms";
import { Notice } from "../notice";
import { Problem } from "../problem";
import { apiErrorOf } from "./api-error";

/** Asking again changes nothing. */
const FORBIDDEN = 403;

/** Shows the API's message of a failed call. Renders nothing without an error, and no retry of what the person's role refuses. */
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
 * The error of what is carried out once, however often it is tried. A refusal is certain; without a response nobody knows the
 * outcome, and another try is safe.
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
  const { status, message } = apiErrorOf(error);
  if (!error || (status !== null && status < 500)) return <ErrorAlert error={error} title={title} />;
  return (
    <Notice title={unknown} role="alert">
      {message} {formsTexts.unknown.tryAgain}
    </Notice>
  );
}
