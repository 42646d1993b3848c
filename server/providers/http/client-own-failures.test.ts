/** Tests that failures of this machine do not count against the provider, and leave the message unsent. */
import net from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { failLookUps } from "@/test/network/look-ups";
import { numberingProvider, PLAIN_SEND, stubClientEnv } from "@/test/providers/plain-provider";
import { healthSignalOf } from "../health/breaker";
import { httpAdapter } from "./client";

beforeAll(() => stubClientEnv(2_000));
afterAll(() => vi.unstubAllEnvs());

const send = (url: string) => httpAdapter(numberingProvider(url), {}).send(PLAIN_SEND);

/** A provider whose token server is at `url`. */
function sendWithToken(url: string) {
  const token = { method: "POST", url: `${url}token`, headers: {}, body: "" } as const;
  return httpAdapter({ ...numberingProvider(url), buildTokenRequest: () => token }, {}).send(PLAIN_SEND);
}

const ours = (code: string, detail: string) => ({
  ...{ kind: "retryable", code, fault: "throttled", isOurStall: true },
  providerDetail: expect.stringContaining(detail),
});

describe("a connection for which this machine has nothing left", () => {
  const outOfFiles = () =>
    vi.spyOn(net, "connect").mockImplementationOnce(() => {
      const failure = Object.assign(new Error("connect EMFILE 127.0.0.1:9"), { code: "EMFILE" });
      return new net.Socket().destroy(failure);
    });

  it("does not count against the provider, which is tried again", async () => {
    outOfFiles();
    const outcome = await send("http://127.0.0.1:9/");
    expect(outcome).toMatchObject(ours("emfile", "no open files"));
    expect(outcome).toMatchObject({ detail: "The provider could not be reached." });
    expect(healthSignalOf(outcome)).toBeNull();
  });

  it("does not count against its token server either", async () => {
    outOfFiles();
    expect(await sendWithToken("http://127.0.0.1:9/")).toMatchObject(ours("token_unreachable", "no open files"));
  });
});

describe("a name that this machine cannot look up", () => {
  // EBUSY: without open files.
  it.each(["EAI_AGAIN", "EBUSY"])("does not count against the provider (%s)", async (code) => {
    failLookUps(code);
    const outcome = await send("http://provider.example/");
    expect(outcome).toMatchObject(ours(code.toLowerCase(), "could not look up"));
    expect(healthSignalOf(outcome)).toBeNull();
    const refusal = await sendWithToken("http://provider.example/");
    expect(refusal).toMatchObject(ours("token_unreachable", "could not look up"));
  });

  it("in time does not count against it either", async () => {
    failLookUps(null);
    expect(await send("http://provider.example/")).toMatchObject(ours("eai_again", "could not look up"));
  });
});
