import { Anchor, Card, Group, Skeleton, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { operatorHomeTexts } from "@/app/_texts/operator/home";
import { SiteLink } from "@/app/_ui/frame/site-link";
import { IconAlertTriangle, IconCircleCheck } from "@/app/_ui/icons/icons";
import { formatCount } from "@/app/_ui/values/count";
import { countryNameOrCode } from "@/app/_ui/values/country-name";
import { PROVIDER_NAMES } from "@/app/_ui/values/provider-name";
import type { OperatorHome } from "@/server/operator/home-schema";
import type { OperatedProvider } from "@/server/providers/operator-schema";

type Task = { title: string; href?: string; action?: string };

const PREFIXES_SHOWN = 5;

/** Routes that reach nothing now. */
function routingTasks({ has_usable_route: canSend, waiting_prefixes: waiting }: OperatorHome): Task[] {
  const texts = operatorHomeTexts.tasks;
  if (!canSend) return [{ title: texts.nothingConfigured, href: "/operator/providers", action: texts.openProviders }];
  if (waiting.length === 0) return [];
  const more = Math.max(0, waiting.length - PREFIXES_SHOWN);
  const title = texts.messagesWait(waiting.slice(0, PREFIXES_SHOWN), more);
  return [{ title, href: "/operator/routes", action: texts.openRoutes }];
}

type ProvidersQuery = { data: OperatedProvider[] | undefined; error: unknown };

function tasksOf(home: OperatorHome, providers: ProvidersQuery): Task[] {
  const texts = operatorHomeTexts.tasks;
  const { failing, queues, pending_senders: pending, unusual_traffic: traffic } = home;
  const unknown = providers.data === undefined && providers.error ? [{ title: texts.providersUnknown }] : [];
  const troubled = (providers.data ?? []).flatMap(({ id, state }): Task[] => {
    const trouble = texts.providersInTrouble[state];
    if (!trouble) return [];
    return [{ title: trouble(PROVIDER_NAMES[id]), href: `/operator/providers/${id}`, action: texts.openProvider }];
  });
  const givenUp = queues.reduce((sum, queue) => sum + queue.given_up, 0);
  return [
    ...failing.map((check) => ({
      title: texts.checks[check] ?? check,
      href: "/api/health/ready",
      action: texts.openReadiness,
    })),
    ...routingTasks(home),
    ...unknown,
    ...troubled,
    ...traffic.map(({ account_id: id, account, country }) => ({
      title: texts.unusualTraffic(account, country === null ? texts.unknownCountry : countryNameOrCode(country)),
      href: `/operator/accounts/${id}`,
      action: texts.openAccount,
    })),
    ...(givenUp > 0
      ? [
          {
            title: texts.jobsGivenUp(givenUp, formatCount(givenUp)),
          },
        ]
      : []),
    ...(pending > 0
      ? [
          {
            title: texts.sendersWait(pending, formatCount(pending)),
            href: "/operator/senders",
            action: texts.review,
          },
        ]
      : []),
  ];
}

/**
 * Faults of the installation, accounts with unusual traffic, and senders that wait for a decision. That there are none is known only
 * with the state of the providers.
 */
export function TasksCard({ home, providers }: { home: OperatorHome; providers: ProvidersQuery }) {
  const tasks = tasksOf(home, providers);
  if (tasks.length === 0 && providers.data === undefined) return <Skeleton height={72} radius="lg" />;
  return (
    <Card component="section" aria-labelledby="tasks">
      {tasks.length === 0 ? (
        <Group gap="sm" wrap="nowrap">
          <ThemeIcon size={32} radius="xl" variant="light" color="teal" aria-hidden>
            <IconCircleCheck size={20} />
          </ThemeIcon>
          <Title order={2} size="h5" id="tasks">
            {operatorHomeTexts.tasks.none}
          </Title>
        </Group>
      ) : (
        <>
          <Title order={2} size="h4" id="tasks" mb="md">
            {operatorHomeTexts.tasks.title}
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
