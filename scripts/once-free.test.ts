import { expect, test, vi } from "vitest";
import { onceFree } from "./once-free";

test("pages are built once another build has ended; other failures are failures", async () => {
  const busy = new Error("next build ended with code 1:\n ⨯ Another next build process is already running.");
  const build = vi.fn().mockRejectedValueOnce(busy).mockRejectedValueOnce(busy).mockResolvedValueOnce("built");
  await onceFree(build, 1);
  expect(build).toHaveBeenCalledTimes(3);
  await expect(onceFree(vi.fn().mockRejectedValue(new Error("Type error")), 1)).rejects.toThrow("Type error");
});
