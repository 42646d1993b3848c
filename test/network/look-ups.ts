/** DNS look-ups that fail in the ways of the system's resolver. */
import dns from "node:dns";
import { onTestFinished, vi } from "vitest";

type Callback = (error: Error | null, addresses?: { address: string; family: 4 }[]) => void;

/** Lets every look-up fail until the end of the test. @param code of getaddrinfo; null: the look-up never ends. @returns the spy. */
export function failLookUps(code: string | null) {
  const fail = (name: string, _options: unknown, callback: Callback) => {
    if (code === null) return;
    const failure = Object.assign(new Error(`getaddrinfo ${code} ${name}`), { code, syscall: "getaddrinfo" });
    setImmediate(callback, failure);
  };
  const spy = vi.spyOn(dns, "lookup").mockImplementation(fail as unknown as typeof dns.lookup);
  onTestFinished(() => spy.mockRestore());
  return spy;
}

/** Lets every look-up find these addresses until the end of the test. */
export function findAddresses(...addresses: string[]): void {
  const find = (_name: string, _options: unknown, callback: Callback) =>
    void setImmediate(
      callback,
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  const spy = vi.spyOn(dns, "lookup").mockImplementation(find as unknown as typeof dns.lookup);
  onTestFinished(() => spy.mockRestore());
}
