import { Button, Group, Text } from "@mantine/core";
import { listsTexts as texts } from "@/app/_texts/ui/lists";
import { Notice } from "../notice";
import type { UrlPatch } from "./use-url-state";

/**
 * Says that the address names filters that do not exist, as an old or mistyped link may, so that people know that the list is not
 * filtered by them.
 * @param understood the filters by their names in the address; empty: not set, or not understood.
 */
export function UnusableFilters({
  params,
  understood,
  change,
}: {
  params: URLSearchParams;
  understood: Record<string, string | null | undefined>;
  change: (patch: UrlPatch) => void;
}) {
  const unusable = Object.keys(understood).filter((name) => params.get(name) && !understood[name]);
  if (unusable.length === 0) return null;
  return (
    <Group mb="md" grow>
      <Notice title={texts.unusable.title(unusable.length)}>
        <Group justify="space-between" gap="sm">
          <Text size="sm" className="break-word" miw={0}>
            {texts.unusable.notFiltered(unusable.map((name) => `${name}=${params.get(name)?.slice(0, 40)}`).join(", "))}
          </Text>
          <Button
            size="xs"
            variant="default"
            onClick={() => change(Object.fromEntries(unusable.map((name) => [name, undefined])))}
          >
            {texts.unusable.remove(unusable.length)}
          </Button>
        </Group>
      </Notice>
    </Group>
  );
}
