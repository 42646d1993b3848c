import { Box, type BoxProps } from "@mantine/core";
import type { ComponentProps } from "react";

/**
 * A table over the whole width of its card; its headings, rows and cells are plain elements or `Box`es. Mantine's table would add
 * its scroll areas and the positioning of floating elements, 20 kB on every page.
 */
export function Table({
  cellPadding = 12,
  isRuled = true,
  ...props
}: BoxProps &
  Omit<ComponentProps<"table">, "cellPadding" | keyof BoxProps> & {
    /** Pixels above and below the content of a cell. */
    cellPadding?: number;
    /** Lines between the rows. */
    isRuled?: boolean;
  }) {
  return (
    <Box
      component="table"
      className="table"
      data-ruled={isRuled || undefined}
      __vars={{ "--cell-padding": `${cellPadding}px` }}
      {...props}
    />
  );
}
