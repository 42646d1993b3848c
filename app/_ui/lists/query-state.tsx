import { Skeleton, Stack, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import { queryStateTexts as texts } from "@/app/_texts/ui/query-state";
import { ErrorAlert } from "../forms/error-alert";

type ObservedQuery<Data> = { data: Data | undefined; error: unknown; refetch: () => unknown };

const SKELETON_ROWS = ["first", "second", "third", "fourth"];

/** Shows a query as skeleton, error with a retry, or data. Data stays visible while it is refetched. */
export function QueryState<Data>({
  query,
  children,
  loading,
}: {
  query: ObservedQuery<Data>;
  children: (data: Data) => ReactNode;
  /** Replaces the default skeleton. */
  loading?: ReactNode;
}) {
  const retry = () => void query.refetch();
  if (query.data !== undefined) {
    return (
      <Stack gap="md">
        {Boolean(query.error) && (
          <div className="query-state">
            <ErrorAlert error={query.error} title={texts.outOfDate} onRetry={retry} />
          </div>
        )}
        {children(query.data)}
      </Stack>
    );
  }
  if (query.error) {
    return (
      <div className="query-state">
        <ErrorAlert error={query.error} title={texts.notLoaded} onRetry={retry} />
      </div>
    );
  }
  return (
    <div aria-busy="true" className="query-state">
      <VisuallyHidden role="status">{texts.loading}</VisuallyHidden>
      {loading ?? (
        <Stack gap="sm">
          {SKELETON_ROWS.map((row) => (
            <Skeleton key={row} height={44} radius="md" />
          ))}
        </Stack>
      )}
    </div>
  );
}
