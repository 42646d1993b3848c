import { Group, Stack, Text } from "@mantine/core";
import { searchTexts as texts } from "@/app/_texts/shell/search";
import { Time } from "@/app/_ui/values/time";
import type { Choice, ChoiceGroup } from "./choices";

/** The list of a combobox: the focus stays in its field, which names the active option. */
export function SearchResults({
  id,
  groups,
  activeId,
  optionIdOf,
  onChoose,
  onPoint,
}: {
  id: string;
  groups: readonly ChoiceGroup[];
  activeId: string | undefined;
  optionIdOf: (choice: Choice) => string;
  onChoose: (choice: Choice) => void;
  onPoint: (choice: Choice) => void;
}) {
  return (
    <div id={id} role="listbox" aria-label={texts.results} tabIndex={-1} className="search-results">
      {groups.map(({ label, choices }) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options; a fieldset groups fields.
        <div key={label} role="group" aria-label={label}>
          <Text size="xs" fw={600} c="dimmed" px="sm" pt="sm" pb={4} aria-hidden>
            {label}
          </Text>
          {choices.map((choice) => (
            <SearchOption
              key={choice.id}
              id={optionIdOf(choice)}
              choice={choice}
              isActive={optionIdOf(choice) === activeId}
              onChoose={() => onChoose(choice)}
              onPoint={() => onPoint(choice)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

function SearchOption({
  id,
  choice: { label, detail, createdAt, icon: IconOf },
  isActive,
  onChoose,
  onPoint,
}: {
  id: string;
  choice: Choice;
  isActive: boolean;
  onChoose: () => void;
  onPoint: () => void;
}) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which has the focus.
    // biome-ignore lint/a11y/useFocusableInteractive: the field names it as its active descendant.
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className="search-option"
      // The focus stays in the field.
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={onPoint}
      onClick={onChoose}
    >
      <Group gap="sm" wrap="nowrap">
        <IconOf size={18} stroke={1.7} aria-hidden style={{ flexShrink: 0 }} />
        <Stack gap={0} miw={0}>
          <Text size="sm" className="clip" dir="auto">
            {label}
          </Text>
          {detail && (
            <Text size="xs" c="dimmed" className="clip">
              {detail}
            </Text>
          )}
        </Stack>
        {createdAt && (
          <Text size="xs" c="dimmed" ml="auto" className="nowrap" component="div">
            <Time value={createdAt} />
          </Text>
        )}
      </Group>
    </div>
  );
}
