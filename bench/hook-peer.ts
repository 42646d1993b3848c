/**
 * A separate process of the workload `hooks`: a customer's server that acknowledges at once, or the bare loop of signed requests
 * that the service is compared with.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, request } from "undici";
import { signatureHeaders } from "@/server/webhooks/delivery/signature";

/** A bare loop: `connections` requests at a time for `seconds`. */
export type PostPlan = { url: string; secret: string; body: string; connections: number; seconds: number };

export type PostResult = { posts: number; seconds: number; cpuS: number };

/** The number of distinct events that the receiver has acknowledged, and of all requests. */
export type ReceiverCount = { events: number; requests: number };

async function receive(): Promise<void> {
  const seen = new Set<string>();
  let requests = 0;
  const server = createServer((incoming, response) => {
    incoming.resume().once("end", () => {
      requests += 1;
      seen.add(String(incoming.headers["webhook-id"]));
      response.writeHead(200).end();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  process.on("message", () => process.send?.({ events: seen.size, requests } satisfies ReceiverCount));
  process.send?.((server.address() as AddressInfo).port);
}

/** Signs and posts, and reads each response to its end. @throws Error for a response other than 200. */
async function post({ url, secret, body, connections, seconds }: PostPlan): Promise<PostResult> {
  const dispatcher = new Agent({ connections });
  const bytes = Buffer.from(body);
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const endAt = startedAt + seconds * 1_000;
  let posts = 0;
  const loop = async () => {
    while (performance.now() < endAt) {
      const headers = signatureHeaders([secret], `evt_${posts}`, Math.floor(Date.now() / 1_000), bytes);
      const response = await request(url, {
        method: "POST",
        dispatcher,
        body: bytes,
        headers: { ...headers, "content-type": "application/json" },
      });
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(`The receiver responded with ${response.statusCode}.`);
      posts += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, loop));
  const { user, system } = process.cpuUsage(before);
  return { posts, seconds: (performance.now() - startedAt) / 1_000, cpuS: (user + system) / 1e6 };
}

process.on("disconnect", () => process.exit(0));
if (process.argv[2] === "receive") await receive();
else process.once("message", async (plan) => process.send?.(await post(plan as PostPlan)));
