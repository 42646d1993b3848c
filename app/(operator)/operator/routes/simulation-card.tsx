"use client";

import { Alert, Button, Card, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { Fragment, useEffect, useState } from "react";
import { routesTexts as texts } from "@/app/_texts/operator/routes";
import { trpc } from "@/app/_trpc/client";
import { fieldError } from "@/app/_ui/forms/form-errors";
import { IconArrowRight, IconListSearch, IconRouteOff } from "@/app/_ui/icons/icons";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { useUrlState } from "@/app/_ui/lists/use-url-state";
import { exactDigits } from "@/app/_ui/values/money";
import { providerName } from "@/app/_ui/values/provider-name";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { withoutSeparators } from "@/server/messages/phone";
import type { ChainLink, RouteSimulation, SimulatedRoute } from "@/server/routing/schema";
import { formatRoundedDown } from "../providers/provider-words";
import { destinationTitle, formatPrice } from "./route-columns";

/** Simulates routing for a number: the matching routes, the selected one, and its providers. */
export function SimulationCard() {
  const { params, change } = useUrlState();
  const to = params.get("to") ?? "";
  const [text, setText] = useState(to);
  // The back button changes the address, and the field follows it.
  useEffect(() => setText(to), [to]);
  const simulation = trpc.operator.routes.simulate.useQuery({ to }, { enabled: to !== "" });
  const toError = fieldError("to", simulation.error);
  return (
    <Card component="section" aria-labelledby="simulation" padding={0}>
      <Stack gap="md" p="lg">
        <div>
          <Title order={2} size="h4" id="simulation">
            {texts.simulation.title}
          </Title>
          <Text size="sm" c="dimmed">
            {texts.simulation.description}
          </Text>
        </div>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            change({ to: withoutSeparators(text) });
          }}
        >
          <Group align="flex-start" gap="sm">
            <TextInput
              aria-label={texts.simulation.number}
              type="tel"
              placeholder="+4915112345678"
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              error={toError}
              flex="1 1 200px"
              maw={320}
            />
            <Button type="submit" variant="light" leftSection={<IconListSearch size={16} />}>
              {texts.simulation.submit}
            </Button>
          </Group>
        </form>
      </Stack>
      {to !== "" && !toError && (
        <QueryState query={simulation}>{(data) => <Simulation simulation={data} />}</QueryState>
      )}
    </Card>
  );
}

function Simulation({ simulation: { to, routes } }: { simulation: RouteSimulation }) {
  if (!routes.some(({ share }) => share > 0)) {
    return (
      <Alert
        color="red"
        variant="light"
        icon={<IconRouteOff aria-hidden />}
        title={texts.simulation.noUsableRoute}
        mx="lg"
        mb="lg"
      >
        {routes.length === 0 ? texts.simulation.noneMatches(to) : texts.simulation.noneConfigured(to)}
      </Alert>
    );
  }
  return (
    <PagedTable
      label={texts.simulation.matching(to)}
      columns={columnsWith(exactDigits(routes.map(({ price }) => price)))}
      rows={routes}
      rowKey={({ id }) => String(id)}
      empty={null}
    />
  );
}

function Decision({ route: { share, chain } }: { route: SimulatedRoute }) {
  const isUsable = chain.some(({ status }) => status === "usable");
  if (share > 0) {
    const shown = formatRoundedDown(share);
    const selected = share === 1 ? texts.simulation.selected : texts.simulation.selectedFor(shown);
    const waiting =
      share === 1 ? texts.simulation.selectedMessagesWait : texts.simulation.selectedForMessagesWait(shown);
    return <StatusBadge tone={isUsable ? "success" : "warning"}>{isUsable ? selected : waiting}</StatusBadge>;
  }
  return (
    <Text size="sm" c="dimmed">
      {chain.every(({ status }) => status === "not_configured")
        ? texts.simulation.noProviderConfigured
        : texts.simulation.outranked}
    </Text>
  );
}

function Chain({ links }: { links: ChainLink[] }) {
  return (
    <Group gap={6}>
      {links.map(({ provider, status }, at) => (
        <Fragment key={provider}>
          {at > 0 && <IconArrowRight size={14} aria-label={texts.simulation.nextInChain} />}
          <Text
            size="sm"
            c={status === "usable" ? undefined : "dimmed"}
            td={status === "usable" ? undefined : "line-through"}
          >
            {providerName(provider)}
          </Text>
          {status !== "usable" && (
            <Text size="xs" c="dimmed">
              {texts.simulation.unusable[status]}
            </Text>
          )}
        </Fragment>
      ))}
    </Group>
  );
}

function columnsWith(digits: number): Column<SimulatedRoute>[] {
  return [
    { key: "decision", header: texts.simulation.result, render: (route) => <Decision route={route} /> },
    {
      key: "prefix",
      header: texts.destination,
      visibleFrom: "xs",
      render: (route) => <span className="tabular nowrap">{destinationTitle(route)}</span>,
    },
    { key: "priority", header: texts.priority, align: "right", visibleFrom: "md", render: ({ priority }) => priority },
    { key: "weight", header: texts.weight, align: "right", visibleFrom: "md", render: ({ weight }) => weight },
    { key: "chain", header: texts.providersInOrder, render: ({ chain }) => <Chain links={chain} /> },
    {
      key: "price",
      header: texts.pricePerSegment,
      align: "right",
      render: ({ price }) => <span className="tabular">{formatPrice(price, digits)}</span>,
    },
  ];
}
