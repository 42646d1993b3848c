import { NumberInput, type NumberInputProps } from "@mantine/core";

/** The decimal separator. By default Mantine takes a comma for one too, and makes 1.000 of 1,000. */
const DECIMAL_POINTS = ["."];

type Props = Omit<
  NumberInputProps,
  "allowDecimal" | "decimalScale" | "thousandSeparator" | "allowedDecimalSeparators"
> & {
  /** How many decimals it may have. */
  decimals?: number;
};

/**
 * A field for a number, whose thousands are separated by commas as in all numbers of the console. It takes a minus sign: one that
 * is dropped silently would make another number of what was pasted, so forms refuse it instead.
 */
export function NumberField({ decimals = 0, ...props }: Props) {
  return (
    <NumberInput
      allowDecimal={decimals > 0}
      decimalScale={decimals}
      thousandSeparator=","
      allowedDecimalSeparators={DECIMAL_POINTS}
      hideControls
      {...props}
    />
  );
}
