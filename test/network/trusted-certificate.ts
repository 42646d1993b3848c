import tls from "node:tls";
import { onTestFinished, vi } from "vitest";

/** Has this process trust a certificate like one of the system's authorities, until the end of the test. */
export function trustForTest({ cert }: { cert: string }): void {
  const { connect } = tls;
  const spy = vi
    .spyOn(tls, "connect")
    .mockImplementation(((options: tls.ConnectionOptions) => connect({ ...options, ca: cert })) as typeof connect);
  onTestFinished(() => void spy.mockRestore());
}
