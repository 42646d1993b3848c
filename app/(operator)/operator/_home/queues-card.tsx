import { Card, Text, Title } from "@mantine/core";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { formatCount } from "@/app/_ui/values/count";
import type { OperatorHome } from "@/server/operator/home-schema";

type Queue = OperatorHome["queues"][number];

const count = (value: number) => <span className="tabular">{formatCount(value)}</span>;

const columns: ReadonlyArray<Column<Queue>> = [
  {
    key: "task",
    header: "Task",
    render: ({ task }) => (
      <Text size="sm" className="break-word">
        {task.replaceAll("_", " ")}
      </Text>
    ),
  },
  { key: "due", header: "Due", align: "right", render: ({ due }) => count(due) },
  { key: "running", header: "Running", align: "right", visibleFrom: "xs", render: ({ running }) => count(running) },
  { key: "later", header: "Later", align: "right", visibleFrom: "sm", render: ({ later }) => count(later) },
  { key: "given_up", header: "Given up", align: "right", render: ({ given_up }) => count(given_up) },
  {
    key: "lag",
    header: "Waiting for",
    align: "right",
    render: ({ lag_s }) => <span className="tabular nowrap">{lag_s} s</span>,
  },
];

/** The tasks that have jobs, the longest wait first. */
export function QueuesCard({ queues }: { queues: Queue[] }) {
  return (
    <Card component="section" aria-labelledby="queues" padding={0}>
      <Title order={2} size="h4" id="queues" p="lg" pb="xs">
        Queues
      </Title>
      <PagedTable
        label="Queues"
        columns={columns}
        rows={queues}
        rowKey={({ task }) => task}
        empty={
          <Text size="sm" c="dimmed" px="lg" pb="lg">
            No jobs: everything is done.
          </Text>
        }
      />
    </Card>
  );
}
