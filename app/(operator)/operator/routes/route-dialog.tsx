"use client";

import { NumberInput, SimpleGrid, Stack, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { toastDone } from "@/app/_ui/toast";
import { PROVIDERS } from "@/server/providers/schema";
import type { OperatedRoute } from "@/server/routing/schema";
import { ChainInput } from "./chain-input";
import { destinationOf } from "./route-columns";

/** The route being edited; null: the dialog is closed. */
export type EditedRoute = OperatedRoute | "new" | null;

const PREFIX_MAX = 16;
const PRICE_DECIMALS = 6;
type Values = {
  prefix: string;
  priority: number | string;
  chain: string[];
  price: number | string;
  weight: number | string;
  is_active: boolean;
};
const INITIAL: Values = { prefix: "", priority: 0, chain: [], price: "", weight: 100, is_active: true };

/** Adds or edits a route. */
export function RouteDialog({ edited, onClose }: { edited: EditedRoute; onClose: () => void }) {
  const title = edited === "new" || edited === null ? "Add a route" : `Route for ${destinationOf(edited)}`;
  return (
    <FormModal opened={edited !== null} onClose={onClose} title={title}>
      {edited !== null && <RouteForm route={edited === "new" ? null : edited} onDone={onClose} />}
    </FormModal>
  );
}

function useSaveRoute(route: OperatedRoute | null, onDone: () => void, onError: (error: unknown) => void) {
  const utils = trpc.useUtils();
  const onSuccess = (saved: OperatedRoute) => {
    toastDone(`Route for ${destinationOf(saved)} ${route ? "saved" : "added"}`);
    onDone();
    return utils.operator.routes.invalidate();
  };
  const create = trpc.operator.routes.create.useMutation({ onSuccess, onError });
  const update = trpc.operator.routes.update.useMutation({ onSuccess, onError });
  return {
    isPending: create.isPending || update.isPending,
    save: (values: Values) => {
      const input = {
        ...values,
        prefix: values.prefix.trim().replace(/^\+/, ""),
        priority: Number(values.priority),
        price: Number(values.price),
        weight: Number(values.weight),
        chain: PROVIDERS.filter((known) => values.chain.includes(known)).sort(
          (one, other) => values.chain.indexOf(one) - values.chain.indexOf(other),
        ),
      };
      if (route) update.mutate({ id: route.id, ...input });
      else create.mutate(input);
    },
  };
}

function RouteForm({ route, onDone }: { route: OperatedRoute | null; onDone: () => void }) {
  const form = useForm<Values>({
    mode: "controlled",
    initialValues: route ? { ...INITIAL, ...pick(route) } : INITIAL,
    validate: {
      chain: (chain) => (chain.length > 0 ? null : "Add at least one provider"),
      price: (price) => (price === "" ? "Enter a price" : null),
      priority: (priority) => (priority === "" ? "Enter a whole number" : null),
      weight: (weight) => (weight === "" ? "Enter 1 to 1000" : null),
    },
  });
  const errors = useFormErrors(form);
  const { save, isPending } = useSaveRoute(route, onDone, errors.show);
  const submit = form.onSubmit((values) => {
    errors.clear();
    save(values);
  });
  return (
    <form onSubmit={submit} noValidate aria-label="Route">
      <Stack gap="md">
        <TextInput
          label="Prefix"
          description="Leading digits of the number, such as 49. Empty = all destinations"
          inputMode="numeric"
          maxLength={PREFIX_MAX}
          data-autofocus
          {...form.getInputProps("prefix")}
        />
        <ChainInput
          value={form.values.chain}
          error={form.errors.chain}
          onChange={(chain) => form.setFieldValue("chain", chain)}
        />
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
          <NumberInput
            label="Price"
            description="Per segment"
            decimalScale={PRICE_DECIMALS}
            allowNegative={false}
            hideControls
            {...form.getInputProps("price")}
          />
          <NumberInput
            label="Priority"
            description="Lowest first"
            allowDecimal={false}
            hideControls
            {...form.getInputProps("priority")}
          />
          <NumberInput
            label="Weight"
            description="Among ties"
            allowDecimal={false}
            allowNegative={false}
            hideControls
            {...form.getInputProps("weight")}
          />
        </SimpleGrid>
        <Switch label="Active" {...form.getInputProps("is_active", { type: "checkbox" })} />
        <ErrorAlert error={errors.unplaced} title="The route was not saved" />
        <FormButtons submit={route ? "Save route" : "Add route"} busy={isPending} onCancel={onDone} />
      </Stack>
    </form>
  );
}

const pick = ({ prefix, priority, chain, price, weight, is_active }: OperatedRoute): Values => ({
  prefix,
  priority,
  chain,
  price,
  weight,
  is_active,
});
