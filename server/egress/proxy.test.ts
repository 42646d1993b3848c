import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { freePort } from "@/scripts/free-port";

/** Reports the egress, calls a provider that is reached by no proxy, and prints its outcome. */
const PROGRAM = `
import { z } from "zod";
import { reportEgress } from "./server/egress/proxy";
import { httpAdapter } from "./server/providers/http/client";
reportEgress();
const provider = {
  id: "twilio", settings: z.record(z.string(), z.unknown()), maxInFlight: 1,
  buildRequest: () => ({ method: "POST", url: "http://provider.invalid/", headers: {}, body: "hi" }),
  readResponse: () => ({ kind: "accepted", providerMessageIds: ["m1"] }),
};
const request = { message: { id: "msg_1", to: "+1", from: "A", body: "hi", encoding: "GSM-7", segments: 1 }, reference: "r", receiptUrl: "http://x/" };
(async () => {
  for (let sent = 0; sent < 3; sent += 1) console.log(JSON.stringify(await httpAdapter(provider, {}).send(request)));
  process.exit();
})();
`;

/** Everything that the program writes with these settings. */
function run(settings: Record<string, string>): string {
  const { PATH = "", HOME = "" } = process.env;
  const required = {
    DATABASE_URL: "postgresql://nobody@127.0.0.1/none",
    SECRET_KEY: "0".repeat(32),
    LOG_LEVEL: "debug",
  };
  const env = { PATH, HOME, NODE_ENV: "test" as const, ...required, ...settings };
  // Both outputs go to one.
  const command = `"${process.execPath}" --import tsx --input-type=module -e "$PROGRAM" 2>&1`;
  return execFileSync("sh", ["-c", command], { env: { ...env, PROGRAM }, encoding: "utf8" });
}

const lines = (output: string) =>
  output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { event?: string; [field: string]: unknown });

test("the line at start and those of failures name the proxy, once a minute, and its password nowhere", async () => {
  const host = `127.0.0.1:${await freePort()}`;
  const output = run({ PROVIDER_PROXY_URL: `http://sms:hun%2Fter2@${host}` });
  const [ready, failed, ...more] = lines(output).filter(({ event }) => event);
  expect(ready).toMatchObject({ event: "egress.ready", providers: `http://${host}`, webhooks: "direct" });
  expect(failed).toMatchObject({
    event: "egress.proxy_failed",
    use: "providers",
    proxy: `http://${host}`,
    code: "egress_proxy_unreachable",
    error: "The egress proxy could not be reached (ECONNREFUSED).",
  });
  expect(more).toEqual([]);
  expect(output.match(/"code":"egress_proxy_unreachable","detail"/g)).toHaveLength(3);
  const secrets = ["hun/ter2", "hun%2Fter2", Buffer.from("sms:hun/ter2").toString("base64")];
  expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
});

test("HTTPS_PROXY changes nothing, and the log says so", async () => {
  const proxy = `http://sms:hunter2@127.0.0.1:${await freePort()}`;
  const output = run({ HTTPS_PROXY: proxy, http_proxy: proxy });
  expect(lines(output)).toMatchObject([
    { event: "egress.environment_ignored", ignored: ["HTTPS_PROXY", "http_proxy"] },
    ...Array(3).fill({ code: expect.stringMatching(/^(enotfound|eai_again)$/) }),
  ]);
  expect(output).not.toContain("hunter2");
});
