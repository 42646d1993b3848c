"use client";

import { Button, Card, Group, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { trpc } from "@/app/_trpc/client";
import { confirmAction } from "@/app/_ui/confirm";
import { ErrorAlert } from "@/app/_ui/error-alert";
import { markFields } from "@/app/_ui/form-errors";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import type { ProviderDetail, ProviderSetting } from "@/server/providers/operator-schema";
import { PROVIDER_NAMES } from "../provider-words";

/** null: a secret that is to be taken away. */
type Values = Record<string, string | null>;

const valuesOf = (settings: readonly ProviderSetting[]): Values =>
  Object.fromEntries(settings.map(({ name, value }) => [name, value ?? ""]));

const ABBREVIATIONS = new Set(["api", "id", "npi", "sid", "ton", "url"]);

/** `accountSid` -> `Account SID`. */
function labelOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(" ");
  const text = words.map((word) => (ABBREVIATIONS.has(word) ? word.toUpperCase() : word)).join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A description as a sentence begins; what starts with a name of the protocol stays as it is. */
const sentence = (text: string): string =>
  text.replace(/^[a-z]+ /, (word) => word.charAt(0).toUpperCase() + word.slice(1));

const ORIGINS = {
  environment: "These come from the environment. What is saved here holds instead of all of them.",
  operator: "These were entered here and hold instead of the environment’s.",
} as const;

/** Credentials and settings of a provider. Secrets go in and are never shown again. */
export function SettingsCard({ provider }: { provider: ProviderDetail }) {
  const { settings, source } = provider;
  return (
    <Card component="section" aria-labelledby="settings">
      <Stack gap="md">
        <Title order={2} size="h4" id="settings">
          Settings
        </Title>
        {settings.length === 0 ? (
          <Text size="sm" c="dimmed">
            It has none. The setting <span className="mono">SANDBOX</span> of the installation turns it on.
          </Text>
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {source ? ORIGINS[source] : "Enter what the provider gave you."}
            </Text>
            <SettingsForm provider={provider} />
          </>
        )}
      </Stack>
    </Card>
  );
}

function SettingsForm({ provider: { id, settings, source } }: { provider: ProviderDetail }) {
  const utils = trpc.useUtils();
  const [unplaced, setUnplaced] = useState<unknown>(null);
  const form = useForm<Values>({ mode: "controlled", initialValues: valuesOf(settings) });

  /** Shows what holds now; above all it empties the fields of secrets. */
  async function showAgain() {
    const fresh = await utils.operator.providers.get.fetch({ id }, { staleTime: 0 });
    form.setInitialValues(valuesOf(fresh.settings));
    form.setValues(valuesOf(fresh.settings));
    form.resetDirty(valuesOf(fresh.settings));
    await utils.operator.providers.list.invalidate();
  }
  const save = trpc.operator.providers.saveSettings.useMutation({
    onSuccess: () => {
      toastDone(`The settings of ${PROVIDER_NAMES[id]} hold from now on.`);
      return showAgain();
    },
    onError: (error) => {
      if (!markFields(form, error)) setUnplaced(error);
    },
  });
  const clear = trpc.operator.providers.clearSettings.useMutation({
    onSuccess: () => {
      toastDone("What was entered here is forgotten.");
      return showAgain();
    },
    onError: toastFailed,
  });
  const submit = form.onSubmit((values) => {
    setUnplaced(null);
    save.mutate({ id, settings: values });
  });
  const askToClear = () =>
    confirmAction({
      title: "Forget what was entered?",
      children: `${PROVIDER_NAMES[id]} then has the settings of the environment, or none. The secrets entered here are gone.`,
      confirmLabel: "Forget settings",
      onConfirm: () => clear.mutate({ id }),
    });

  return (
    <form onSubmit={submit} noValidate autoComplete="off" aria-label="Settings of the provider">
      <Stack gap="md">
        {settings.map((setting) => (
          <SettingInput
            key={setting.name}
            setting={setting}
            source={source}
            {...form.getInputProps(setting.name)}
            value={form.values[setting.name] ?? ""}
            isTakenAway={form.values[setting.name] === null}
            onTakeAway={() => form.setFieldValue(setting.name, null)}
          />
        ))}
        <ErrorAlert error={unplaced} title="The settings were not saved" />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
            Save settings
          </Button>
          {source === "operator" && (
            <Button variant="default" c="red" loading={clear.isPending} onClick={askToClear}>
              Forget settings
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function SettingInput({
  setting: { name, description, is_secret, is_required, standard, environment, is_set },
  source,
  isTakenAway,
  onTakeAway,
  ...input
}: {
  setting: ProviderSetting;
  source: ProviderDetail["source"];
  isTakenAway: boolean;
  onTakeAway: () => void;
} & ReturnType<ReturnType<typeof useForm<Values>>["getInputProps"]>) {
  const hint = (
    <>
      {sentence(description)}
      {source !== "operator" && (
        <>
          {" "}
          (<span className="mono">{environment}</span>)
        </>
      )}
    </>
  );
  const common = {
    label: labelOf(name),
    description: hint,
    withAsterisk: is_required,
    autoComplete: "off",
    spellCheck: false,
  };
  if (!is_secret) return <TextInput {...common} placeholder={standard ?? undefined} {...input} />;
  const mayBeTakenAway = is_set && !is_required && !isTakenAway;
  return (
    <Stack align="stretch" gap={4}>
      <PasswordInput
        {...common}
        autoComplete="new-password"
        placeholder={isTakenAway ? "Taken away once saved" : is_set ? "Set, not shown" : undefined}
        {...input}
      />
      {mayBeTakenAway && (
        <Button
          variant="subtle"
          color="red"
          size="compact-xs"
          style={{ alignSelf: "flex-start" }}
          onClick={onTakeAway}
          aria-label={`Take away: ${labelOf(name)}`}
        >
          Take away
        </Button>
      )}
    </Stack>
  );
}
