import { ActionIcon, Group, Text, VisuallyHidden } from "@mantine/core";
import { IconPencil, IconTrash } from "@/app/_ui/icons/icons";
import type { Column } from "@/app/_ui/lists/paged-table";
import { Tooltip } from "@/app/_ui/tooltip";
import { providerName } from "@/app/_ui/values/provider-name";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import type { OperatedRoute } from "@/server/routing/schema";

/** `49` -> `+49…`; the empty prefix matches every number. */
export const destinationOf = ({ prefix }: Pick<OperatedRoute, "prefix">): string =>
  prefix === "" ? "all destinations" : `+${prefix}…`;

/** The same as a title, with a capital letter. */
export const destinationTitle = (route: Pick<OperatedRoute, "prefix">): string =>
  route.prefix === "" ? "All destinations" : destinationOf(route);

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
      header: "Destination",
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
    { key: "priority", header: "Priority", align: "right", visibleFrom: "md", render: (row) => figure(row.priority) },
    {
      key: "chain",
      header: "Providers, in order",
      visibleFrom: "sm",
      render: ({ chain }) => <Text size="sm">{chain.map(providerName).join(" → ")}</Text>,
    },
    {
      key: "price",
      header: "Price per segment",
      align: "right",
      render: ({ price }) => figure(formatPrice(price, digits)),
    },
    { key: "weight", header: "Weight", align: "right", visibleFrom: "md", render: (row) => figure(row.weight) },
    {
      key: "state",
      header: "State",
      visibleFrom: "xs",
      render: ({ is_active }) => (
        <StatusBadge tone={is_active ? "success" : "neutral"}>{is_active ? "Active" : "Inactive"}</StatusBadge>
      ),
    },
    {
      key: "actions",
      header: <VisuallyHidden>Actions</VisuallyHidden>,
      align: "right",
      render: (route) => (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          <Tooltip label="Edit">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Edit the route for ${destinationOf(route)}`}
              onClick={() => onEdit(route)}
            >
              <IconPencil size={16} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Delete">
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={`Delete the route for ${destinationOf(route)}`}
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
