"use client";

import { SimpleGrid, Stack, Switch, TextInput } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import type { RefObject } from "react";
import { routesTexts as texts } from "@/app/_texts/operator/routes";
import { trpc } from "@/app/_trpc/client";
import { editedOnly } from "@/app/_ui/changes/edited-only";
import { ifHolds } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { OnceAlert, SaveAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { NumberField } from "@/app/_ui/forms/number-field";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { type KeptKeys, useOnce } from "@/app/_ui/forms/use-idempotency-key";
import { toastDone } from "@/app/_ui/toast";
import { type EnteredNumber, isNumber, optionalNumberProblem } from "@/app/_ui/values/entered-number";
import { PROVIDERS } from "@/server/providers/schema";
import type { OperatedRoute } from "@/server/routing/schema";
import { ChainInput } from "./chain-input";
import { destinationOf } from "./route-columns";

const PREFIX_MAX = 16;
const PRICE_DECIMALS = 6;
type Values = {
  prefix: string;
  priority: EnteredNumber;
  chain: string[];
  price: EnteredNumber;
  weight: EnteredNumber;
  is_active: boolean;
};
const INITIAL: Values = { prefix: "", priority: 0, chain: [], price: "", weight: 100, is_active: true };

type Edited = Pick<UseFormReturnType<Values>, "getValues" | "isDirty">;

function useSaveRoute(kept: RefObject<KeptKeys>) {
  const utils = trpc.useUtils();
  const onSettled = () => void utils.operator.routes.invalidate();
  const create = useOnce(utils.client.operator.routes.create.mutate, {
    kept,
    late: { failed: texts.edit.notSaved },
    onSuccess: (saved) => toastDone(texts.edit.added(destinationOf(saved))),
    onSettled,
  });
  const update = useChange(utils.client.operator.routes.update.mutate, {
    look: async (asked) =>
      ifHolds(
        (await utils.client.operator.routes.list.query()).find(({ id }) => id === asked.id),
        asked,
      ),
    late: { failed: texts.edit.notSaved },
    onSuccess: (saved) => toastDone(texts.edit.saved(destinationOf(saved))),
    onSettled,
  });
  return {
    isPending: create.isPending || update.isPending,
    save: (
      route: OperatedRoute | null,
      form: Edited,
      callbacks: { onSuccess: () => void; onError: (error: unknown) => void },
    ) => {
      const values = form.getValues();
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
      if (route) update.mutate({ id: route.id, ...editedOnly(form, input) }, callbacks);
      else create.mutate(input, callbacks);
    },
  };
}

/** The fields of a route: of `route`, or of a new one. */
export function RouteForm({
  route,
  usedKeys,
  onDone,
}: {
  route: OperatedRoute | null;
  usedKeys: RefObject<KeptKeys>;
  onDone: () => void;
}) {
  const saving = useSaveRoute(usedKeys);
  const form = useForm<Values>({
    mode: "controlled",
    initialValues: route ? { ...INITIAL, ...pick(route) } : INITIAL,
    validate: {
      chain: (chain) => (chain.length > 0 ? null : texts.edit.addOneProvider),
      price: (price) => (isNumber(price) ? optionalNumberProblem(price) : texts.edit.enterPrice),
      priority: (priority) => (isNumber(priority) ? null : texts.edit.enterWholeNumber),
      weight: (weight) => (isNumber(weight) && Number(weight) > 0 ? null : texts.edit.enterWeight),
    },
  });
  const errors = useFormErrors(form);
  const submit = form.onSubmit(() => {
    errors.clear();
    saving.save(route, form, { onSuccess: onDone, onError: errors.show });
  });
  return (
    <form onSubmit={submit} noValidate aria-label={texts.edit.form}>
      <Stack gap="md">
        <TextInput
          label={texts.edit.prefix}
          description={texts.edit.prefixHint}
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
          <NumberField
            label={texts.edit.price}
            description={texts.edit.perSegment}
            decimals={PRICE_DECIMALS}
            {...form.getInputProps("price")}
          />
          <NumberField
            label={texts.priority}
            description={texts.edit.lowestFirst}
            {...form.getInputProps("priority")}
          />
          <NumberField label={texts.weight} description={texts.edit.amongTies} {...form.getInputProps("weight")} />
        </SimpleGrid>
        <Switch label={texts.active} {...form.getInputProps("is_active", { type: "checkbox" })} />
        {route ? (
          <SaveAlert error={errors.unplaced} title={texts.edit.notSaved} />
        ) : (
          <OnceAlert error={errors.unplaced} title={texts.edit.notSaved} />
        )}
        <FormButtons submit={route ? texts.edit.saveRoute : texts.addRoute} busy={saving.isPending} onCancel={onDone} />
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
