"use client";

import { Anchor, Group, Stack, Text } from "@mantine/core";
import { requestsTexts as texts } from "@/app/_texts/requests";
import { trpc } from "@/app/_trpc/client";
import { apiErrorOf } from "@/app/_ui/forms/api-error";
import { Dialog } from "@/app/_ui/forms/dialog";
import { PageLink } from "@/app/_ui/frame/page-link";
import { QueryState } from "@/app/_ui/lists/query-state";
import { Problem } from "@/app/_ui/problem";
import { CodeBlock } from "@/app/_ui/values/code-block";
import { CopyButton } from "@/app/_ui/values/copy-button";
import { formatCount } from "@/app/_ui/values/count";
import { ExactTime } from "@/app/_ui/values/time";
import type { LoggedRequestDetail } from "@/server/request-log/schema";
import { HttpStatus } from "./http-status";

/** A request with its bodies; id null: closed. */
export function RequestDialog({ id, onClose }: { id: string | null; onClose: () => void }) {
  const request = trpc.requestLog.get.useQuery({ id: id ?? "" }, { enabled: id !== null });
  return (
    <Dialog opened={id !== null} onClose={onClose} title={texts.dialog.title} size="lg">
      <RequestState query={request} />
    </Dialog>
  );
}

type RequestQuery = { data: LoggedRequestDetail | undefined; error: unknown; refetch: () => unknown };

/**
 * Reads the query inside the dialog, which is loaded lazily: React Query notifies a component only of changes to fields that
 * the component itself has read.
 */
function RequestState({ query }: { query: RequestQuery }) {
  if (apiErrorOf(query.error).status === 404) {
    return <Problem title={texts.dialog.notFound}>{texts.dialog.whyNotFound}</Problem>;
  }
  return <QueryState query={query}>{(data) => <RequestFacts request={data} />}</QueryState>;
}

/** JSON with line breaks; anything else, such as a response that was cut, as it is. */
function legible(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function RequestFacts({ request }: { request: LoggedRequestDetail }) {
  const {
    id,
    method,
    path,
    query,
    status,
    latency_ms,
    key_name,
    key_id,
    resource_id,
    created_at,
    address,
    user_agent,
  } = request;
  return (
    <Stack gap="md">
      <Text className="mono break-word">
        <Text span inherit fw={600}>
          {method}
        </Text>{" "}
        {`/api/v1${path}`}
        {query && `?${query}`}
      </Text>
      <Group gap="md">
        <HttpStatus status={status} />
        <Text size="sm" c="dimmed" className="tabular">
          {texts.milliseconds(formatCount(latency_ms))}
        </Text>
        <Text size="sm" c="dimmed">
          {texts.dialog.key(key_name ?? key_id)}
        </Text>
        <Text size="sm" c="dimmed" component="div">
          <ExactTime value={created_at} />
        </Text>
      </Group>
      {address && (
        <Text size="sm" c="dimmed" className="break-word">
          {texts.dialog.from(address, user_agent)}
        </Text>
      )}
      <Group gap="xs" wrap="nowrap">
        <Text size="sm" className="mono break-word">
          {id}
        </Text>
        <CopyButton value={id} label={texts.dialog.copyId} />
      </Group>
      {resource_id?.startsWith("msg_") && (
        <Anchor component={PageLink} href={`/messages/${resource_id}`} size="sm">
          {texts.dialog.viewMessage}
        </Anchor>
      )}
      <Body {...texts.dialog.requestBody} text={request.request_body} />
      <Body
        {...texts.dialog.response}
        text={request.response_body}
        {...(status < 400 && { missing: texts.dialog.responseNotKept })}
      />
    </Stack>
  );
}

type BodyProps = { title: string; text: string | null; copy: string; missing: string };

function Body({ title, text, copy, missing }: BodyProps) {
  return (
    <Stack gap={6} component="section" aria-label={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {text === null ? (
        <Text size="sm" c="dimmed">
          {missing}
        </Text>
      ) : (
        <CodeBlock value={legible(text)} copyLabel={copy} maxHeight={320} />
      )}
    </Stack>
  );
}
