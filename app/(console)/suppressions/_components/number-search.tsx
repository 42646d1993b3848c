"use client";

import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconPhone } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";

const TYPING_DEBOUNCE_MS = 300;

/** The list follows the typing with a short delay; the field follows the address bar when that changes otherwise. */
export function NumberSearch({ number, onChange }: { number: string; onChange: (number: string) => void }) {
  const [text, setText] = useState(number);
  const applied = useRef(number);
  const apply = useDebouncedCallback((next: string) => {
    applied.current = next;
    onChange(next);
  }, TYPING_DEBOUNCE_MS);
  useEffect(() => {
    if (number === applied.current) return;
    applied.current = number;
    setText(number);
  }, [number]);
  return (
    <TextInput
      label="Number"
      type="search"
      placeholder="+14155550123"
      leftSection={<IconPhone size={16} aria-hidden />}
      maxLength={32}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        apply(event.currentTarget.value.replaceAll(/[\s().-]/g, ""));
      }}
      w={{ base: "100%", xs: 240 }}
    />
  );
}
