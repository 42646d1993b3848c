import { Card, Text, Title } from "@mantine/core";
import { IconServer2 } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { Time } from "@/app/_ui/values/time";
import type { OperatorHome } from "@/server/operator/home-schema";

type Worker = OperatorHome["workers"][number];

const columns: ReadonlyArray<Column<Worker>> = [
  {
    key: "id",
    header: "Worker",
    render: ({ id }) => (
      <Text size="xs" className="mono break-word">
        {id}
      </Text>
    ),
  },
  { key: "started", header: "Started", visibleFrom: "xs", render: ({ started_at }) => <Time value={started_at} /> },
  {
    key: "heartbeat",
    header: "Heartbeat",
    align: "right",
    render: ({ is_alive, heartbeat_age_s }) => (
      <StatusBadge tone={is_alive ? "success" : "danger"}>
        {is_alive ? "Alive" : `Silent for ${heartbeat_age_s} s`}
      </StatusBadge>
    ),
  },
];

/** The worker processes of the last ten minutes, each with its heartbeat. */
export function WorkersCard({ workers }: { workers: Worker[] }) {
  return (
    <Card component="section" aria-labelledby="workers" padding={0}>
      <Title order={2} size="h4" id="workers" p="lg" pb="xs">
        Workers
      </Title>
      <PagedTable
        label="Workers"
        columns={columns}
        rows={workers}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconServer2} title="No worker was heard of in ten minutes">
            Messages are accepted, and wait until one is started.
          </EmptyState>
        }
      />
    </Card>
  );
}
