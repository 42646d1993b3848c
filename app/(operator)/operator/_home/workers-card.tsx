import { Card, Text, Title } from "@mantine/core";
import { operatorHomeTexts } from "@/app/_texts/operator/home";
import { IconServer2 } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { Time } from "@/app/_ui/values/time";
import type { OperatorHome } from "@/server/operator/home-schema";

type Worker = OperatorHome["workers"][number];

const columns = (texts: typeof operatorHomeTexts.workers): ReadonlyArray<Column<Worker>> => [
  {
    key: "id",
    header: texts.worker,
    render: ({ id }) => (
      <Text size="xs" className="mono break-word">
        {id}
      </Text>
    ),
  },
  { key: "started", header: texts.started, visibleFrom: "xs", render: ({ started_at }) => <Time value={started_at} /> },
  {
    key: "heartbeat",
    header: texts.heartbeat,
    align: "right",
    render: ({ is_alive, heartbeat_age_s }) => (
      <StatusBadge tone={is_alive ? "success" : "danger"}>
        {is_alive ? texts.alive : texts.silentFor(heartbeat_age_s)}
      </StatusBadge>
    ),
  },
];

/** The worker processes of the last ten minutes, each with its heartbeat. */
export function WorkersCard({ workers }: { workers: Worker[] }) {
  const texts = operatorHomeTexts.workers;
  return (
    <Card component="section" aria-labelledby="workers" padding={0}>
      <Title order={2} size="h4" id="workers" p="lg" pb="xs">
        {texts.title}
      </Title>
      <PagedTable
        label={texts.title}
        columns={columns(texts)}
        rows={workers}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconServer2} title={texts.none}>
            {texts.messagesWait}
          </EmptyState>
        }
      />
    </Card>
  );
}
