import tls from "node:tls";
import { onTestFinished, vi } from "vitest";

/** Has this process believe a certificate, as that of an authority of the system, until the end of the test. */
export function trustForTest({ cert }: { cert: string }): void {
  const { connect } = tls;
  const spy = vi
    .spyOn(tls, "connect")
    .mockImplementation(((options: tls.ConnectionOptions) => connect({ ...options, ca: cert })) as typeof connect);
  onTestFinished(() => void spy.mockRestore());
}
