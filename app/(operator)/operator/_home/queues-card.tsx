import { Card, Text, Title } from "@mantine/core";
import { operatorHomeTexts } from "@/app/_texts/operator/home";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { formatCount } from "@/app/_ui/values/count";
import type { OperatorHome } from "@/server/operator/home-schema";

type Queue = OperatorHome["queues"][number];

const count = (value: number) => <span className="tabular">{formatCount(value)}</span>;

const columns = (texts: typeof operatorHomeTexts.queues): ReadonlyArray<Column<Queue>> => [
  {
    key: "task",
    header: texts.task,
    render: ({ task }) => (
      <Text size="sm" className="break-word">
        {texts.nameOf(task)}
      </Text>
    ),
  },
  { key: "due", header: texts.due, align: "right", render: ({ due }) => count(due) },
  { key: "running", header: texts.running, align: "right", visibleFrom: "xs", render: ({ running }) => count(running) },
  { key: "later", header: texts.later, align: "right", visibleFrom: "sm", render: ({ later }) => count(later) },
  { key: "given_up", header: texts.givenUp, align: "right", render: ({ given_up }) => count(given_up) },
  {
    key: "lag",
    header: texts.waitingFor,
    align: "right",
    render: ({ lag_s }) => <span className="tabular nowrap">{texts.seconds(lag_s)}</span>,
  },
];

/** The tasks that have jobs, the longest wait first. */
export function QueuesCard({ queues }: { queues: Queue[] }) {
  const texts = operatorHomeTexts.queues;
  return (
    <Card component="section" aria-labelledby="queues" padding={0}>
      <Title order={2} size="h4" id="queues" p="lg" pb="xs">
        {texts.title}
      </Title>
      <PagedTable
        label={texts.title}
        columns={columns(texts)}
        rows={queues}
        rowKey={({ task }) => task}
        empty={
          <Text size="sm" c="dimmed" px="lg" pb="lg">
            {texts.none}
          </Text>
        }
      />
    </Card>
  );
}
