"use client";

import { Button, Card, Group, Stack, Title } from "@mantine/core";
import { providerTexts } from "@/app/_texts/operator/provider";
import { trpc } from "@/app/_trpc/client";
import { ifHolds, isHeld } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { NumberField } from "@/app/_ui/forms/number-field";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { useStoredForm } from "@/app/_ui/forms/use-stored-form";
import { toastDone } from "@/app/_ui/toast";
import { type EnteredNumber, numberOrNull, optionalNumberProblem } from "@/app/_ui/values/entered-number";
import type { ProviderDetail } from "@/server/providers/operator-schema";

const DECIMALS = 2;

/** Sets the throughput limit of a provider, over all workers. */
export function ThroughputCard({ provider }: { provider: ProviderDetail }) {
  const { id, max_segments_per_second } = provider;
  const texts = providerTexts.throughput;
  const utils = trpc.useUtils();
  const form = useStoredForm<{ max_segments_per_second: EnteredNumber }>(
    { max_segments_per_second: max_segments_per_second ?? "" },
    { validate: { max_segments_per_second: optionalNumberProblem } },
  );
  const errors = useFormErrors(form);
  const setLimit = useChange(utils.client.operator.providers.throttle.mutate, {
    look: async (asked) => ifHolds(await utils.client.operator.providers.get.query({ id }), asked),
    onSuccess: (data) => {
      toastDone(data.max_segments_per_second === null ? texts.removed : texts.saved(data.max_segments_per_second));
      form.resetDirty();
      utils.operator.providers.get.setData({ id }, data);
    },
    onSettled: (_, error) => {
      if (error) void utils.operator.providers.get.invalidate({ id });
    },
  });
  const submit = form.onSubmit(({ max_segments_per_second: entered }) => {
    errors.clear();
    setLimit.mutate({ id, max_segments_per_second: numberOrNull(entered) }, { onError: errors.show });
  });
  return (
    <Card component="section" aria-labelledby="throughput-limit">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Title order={2} size="h4" id="throughput-limit">
            {texts.title}
          </Title>
          <NumberField
            label={texts.segmentsPerSecond}
            description={texts.emptyForNone}
            decimals={DECIMALS}
            maw={280}
            {...form.getInputProps("max_segments_per_second")}
          />
          <SaveAlert error={errors.unplaced} isStored={isHeld(provider, setLimit.variables)} />
          <Group>
            <Button type="submit" variant="default" loading={setLimit.isPending} disabled={!form.isDirty()}>
              {texts.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
