"use client";

import { Button, Card } from "@mantine/core";
import { useState } from "react";
import { routesTexts as texts } from "@/app/_texts/operator/routes";
import { trpc } from "@/app/_trpc/client";
import { useChange } from "@/app/_ui/changes/use-change";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconPlus, IconRoute } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { LongListTable } from "@/app/_ui/lists/long-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { exactDigits } from "@/app/_ui/values/money";
import type { OperatedRoute } from "@/server/routing/schema";
import { destinationOf, routeColumns } from "./route-columns";
import { type EditedRoute, RouteDialog } from "./route-dialog";
import { SimulationCard } from "./simulation-card";

/** The route table: providers and price per destination. */
export function RoutesView() {
  const utils = trpc.useUtils();
  const [edited, setEdited] = useState<EditedRoute>(null);
  const routes = trpc.operator.routes.list.useQuery();
  const remove = useChange(utils.client.operator.routes.delete.mutate, {
    look: async ({ id }) => {
      const routes = await utils.client.operator.routes.list.query();
      return routes.some((each) => each.id === id) ? undefined : null;
    },
    onSuccess: () => toastDone(texts.delete.done),
    onError: toastFailed,
    onSettled: () => utils.operator.routes.invalidate(),
  });
  const askToDelete = (route: OperatedRoute) =>
    confirmAction({
      title: texts.delete.ask(destinationOf(route)),
      children: texts.delete.explanation,
      confirmLabel: texts.delete.submit,
      onConfirm: () => remove.mutate({ id: route.id }),
    });
  const addButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited("new")}>
      {texts.addRoute}
    </Button>
  );
  const hasSome = routes.data !== undefined && routes.data.length > 0;
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} actions={hasSome && addButton} />
      <Card padding={0} mb="lg">
        <QueryState query={routes}>
          {(data) => (
            <LongListTable
              label={texts.list}
              columns={routeColumns({
                digits: exactDigits(data.map(({ price }) => price)),
                onEdit: setEdited,
                onDelete: askToDelete,
              })}
              rows={data}
              rowKey={({ id }) => String(id)}
              textOf={(route) => `${destinationOf(route)} ${route.chain.join(" ")}`}
              empty={
                <EmptyState icon={IconRoute} title={texts.noRoutesYet} action={addButton}>
                  {texts.messagesFail}
                </EmptyState>
              }
            />
          )}
        </QueryState>
      </Card>
      <SimulationCard />
      <RouteDialog edited={edited} onClose={() => setEdited(null)} />
    </>
  );
}
