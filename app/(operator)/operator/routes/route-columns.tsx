import { ActionIcon, Group, Text, VisuallyHidden } from "@mantine/core";
import { routesTexts as texts } from "@/app/_texts/operator/routes";
import { sharedTexts } from "@/app/_texts/shared";
import { IconPencil, IconTrash } from "@/app/_ui/icons/icons";
import type { Column } from "@/app/_ui/lists/paged-table";
import { Tooltip } from "@/app/_ui/tooltip";
import { providerName } from "@/app/_ui/values/provider-name";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import type { OperatedRoute } from "@/server/routing/schema";

/** `49` -> `+49…`; the empty prefix matches every number. */
export const destinationOf = ({ prefix }: Pick<OperatedRoute, "prefix">): string =>
  prefix === "" ? texts.allDestinationsInside : `+${prefix}…`;

/** The same as a title, with a capital letter. */
export const destinationTitle = (route: Pick<OperatedRoute, "prefix">): string =>
  route.prefix === "" ? texts.allDestinations : destinationOf(route);

/** The price of a segment, without a currency: it is charged in the currency of the sending account. */
export const formatPrice = (price: number, digits: number): string => price.toFixed(digits);

const figure = (value: number | string) => <span className="tabular">{value}</span>;

/** The columns of the route table. Prices show `digits` decimals, so that they align. */
export function routeColumns({
  digits,
  onEdit,
  onDelete,
}: {
  digits: number;
  onEdit: (route: OperatedRoute) => void;
  onDelete: (route: OperatedRoute) => void;
}): Column<OperatedRoute>[] {
  return [
    {
      key: "prefix",
      header: texts.destination,
      render: (route) => (
        <>
          <Text size="sm" fw={600} className="tabular nowrap">
            {destinationTitle(route)}
          </Text>
          <Text size="xs" c="dimmed" hiddenFrom="sm">
            {route.chain.map(providerName).join(" → ")}
          </Text>
        </>
      ),
    },
    {
      key: "priority",
      header: texts.priority,
      align: "right",
      visibleFrom: "md",
      render: (row) => figure(row.priority),
    },
    {
      key: "chain",
      header: texts.providersInOrder,
      visibleFrom: "sm",
      render: ({ chain }) => <Text size="sm">{chain.map(providerName).join(" → ")}</Text>,
    },
    {
      key: "price",
      header: texts.pricePerSegment,
      align: "right",
      render: ({ price }) => figure(formatPrice(price, digits)),
    },
    { key: "weight", header: texts.weight, align: "right", visibleFrom: "lg", render: (row) => figure(row.weight) },
    {
      key: "state",
      header: texts.state,
      visibleFrom: "xs",
      render: ({ is_active }) => (
        <StatusBadge tone={is_active ? "success" : "neutral"}>{is_active ? texts.active : texts.inactive}</StatusBadge>
      ),
    },
    {
      key: "actions",
      header: <VisuallyHidden>{texts.actions}</VisuallyHidden>,
      align: "right",
      render: (route) => (
        <Group gap={4} justify="flex-end">
          <Tooltip label={sharedTexts.edit}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={texts.editRoute(destinationOf(route))}
              onClick={() => onEdit(route)}
            >
              <IconPencil size={16} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={sharedTexts.delete}>
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={texts.deleteRoute(destinationOf(route))}
              onClick={() => onDelete(route)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      ),
    },
  ];
}
