import { Anchor, Card, Group, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { SiteLink } from "@/app/_ui/frame/site-link";
import { IconAlertTriangle, IconCircleCheck } from "@/app/_ui/icons/icons";
import { formatCount } from "@/app/_ui/values/count";
import { PROVIDER_NAMES } from "@/app/_ui/values/provider-name";
import type { OperatorHome } from "@/server/operator/home-schema";
import type { OperatedProvider } from "@/server/providers/operator-schema";

const CHECKS: Record<string, string> = {
  database: "The database does not respond",
  migrations: "Migrations are missing, or newer than this version",
  queue: "Jobs wait for too long",
  workers: "No worker is alive",
};

type Task = { title: string; href?: string; action?: string };

const IN_TROUBLE: Partial<Record<OperatedProvider["state"], string>> = {
  open: "is failing: its circuit is open",
  probing: "was failing and is being tried again",
  misconfigured: "is misconfigured",
};

function tasksOf({ failing, queues, pending_senders: pending }: OperatorHome, providers: OperatedProvider[]): Task[] {
  const troubled = providers.flatMap(({ id, state }): Task[] => {
    const trouble = IN_TROUBLE[state];
    if (!trouble) return [];
    return [{ title: `${PROVIDER_NAMES[id]} ${trouble}`, href: `/operator/providers/${id}`, action: "Open provider" }];
  });
  const givenUp = queues.reduce((sum, queue) => sum + queue.given_up, 0);
  return [
    ...failing.map((check) => ({
      title: CHECKS[check] ?? check,
      href: "/api/health/ready",
      action: "Readiness",
    })),
    ...troubled,
    ...(givenUp > 0
      ? [
          {
            title: `${formatCount(givenUp)} ${givenUp === 1 ? "job has" : "jobs have"} failed on every try`,
          },
        ]
      : []),
    ...(pending > 0
      ? [
          {
            title: `${formatCount(pending)} ${pending === 1 ? "sender waits" : "senders wait"} for your decision`,
            href: "/operator/senders",
            action: "Review",
          },
        ]
      : []),
  ];
}

/** Faults of the installation, and senders that wait for a decision. */
export function TasksCard({ home, providers }: { home: OperatorHome; providers: OperatedProvider[] }) {
  const tasks = tasksOf(home, providers);
  return (
    <Card component="section" aria-labelledby="tasks">
      {tasks.length === 0 ? (
        <Group gap="sm" wrap="nowrap">
          <ThemeIcon size={32} radius="xl" variant="light" color="teal" aria-hidden>
            <IconCircleCheck size={20} />
          </ThemeIcon>
          <Title order={2} size="h5" id="tasks">
            Everything works, and nothing waits for you
          </Title>
        </Group>
      ) : (
        <>
          <Title order={2} size="h4" id="tasks" mb="md">
            Needs your attention
          </Title>
          <Stack component="ul" gap="sm" className="plain-list">
            {tasks.map(({ title, href, action }) => (
              <Group component="li" key={title} gap="sm" wrap="nowrap">
                <ThemeIcon
                  size={32}
                  radius="xl"
                  variant="light"
                  color="yellow"
                  c="var(--mantine-color-text)"
                  aria-hidden
                >
                  <IconAlertTriangle size={18} />
                </ThemeIcon>
                <Group flex={1} justify="space-between" gap="xs" miw={0}>
                  <Text size="sm" fw={600}>
                    {title}
                  </Text>
                  {href && (
                    <Anchor component={SiteLink} href={href} size="sm">
                      {action}
                    </Anchor>
                  )}
                </Group>
              </Group>
            ))}
          </Stack>
        </>
      )}
    </Card>
  );
}
