/** All kinds of work that callers, people and strangers cause in a web process, at a steady pace. Each request differs from the others. */
import http from "node:http";
import net from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Customer } from "./service";

/** `cookie`: a session in the console. `receiver`: URL of a webhook endpoint. `signal` ends the work early. */
export type WorkPlan = {
  port: number;
  customer: Customer;
  cookie: string;
  receiver: string;
  seconds: number;
  signal: AbortSignal;
};

/** Responses by kind of work and status. */
export type WorkDone = Record<string, Record<string, number>>;

/** Numbers of the sandbox's scenarios (docs/scenario-numbers.md) and one that is delivered after a second. */
const RECIPIENTS = ["+14155550123", ...[1, 3, 4, 6, 7, 9].map((digit) => `+1555010000${digit}`)];
const BODY_MAX = 200_000;
const LEAVES_AFTER_MS = 300;

type Send = { method?: string; path: string; headers?: Record<string, string>; body?: string };

function createCaller(port: number) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  /** @returns the status and the body. @throws when the connection is lost. */
  function call({ method = "GET", path, headers = {}, body }: Send): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const type = body === undefined ? {} : { "content-type": "application/json" };
      const request = http.request(
        { host: "127.0.0.1", port, agent, method, path, headers: { ...type, ...headers } },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (piece: string) => {
            if (text.length < BODY_MAX) text += piece;
          });
          response.once("close", () => resolve({ status: response.statusCode ?? 0, text }));
        },
      );
      request.once("error", reject);
      request.end(body);
    });
  }
  return { call, close: () => agent.destroy() };
}

/** Opens a stream that does not end, or sends half of a request, and disconnects. */
function leaveEarly(port: number, head: string): Promise<{ status: number }> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write(head));
    socket.resume().once("error", reject);
    setTimeout(() => {
      socket.destroy();
      resolve({ status: 0 });
    }, LEAVES_AFTER_MS);
  });
}

/** Kinds of work by name, each with its rate per second. */
function kindsOf({ port, customer, cookie, receiver }: WorkPlan, call: ReturnType<typeof createCaller>["call"]) {
  let last = 0;
  const next = () => {
    last += 1;
    return last;
  };
  const pick = <Item>(list: readonly Item[]): Item => list[next() % list.length] as Item;
  const authorization = () => ({ authorization: `Bearer ${pick(customer.keys).plain}` });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    call({ method: "POST", path, headers: { ...authorization(), ...headers }, body: JSON.stringify(body) });
  const message = () => ({
    to: pick(RECIPIENTS),
    from: customer.sender,
    body: `Your code is ${next()}.`,
    reference: `order ${next()}`,
  });
  const send = (headers?: Record<string, string>) => post("/api/v1/messages/send", message(), headers);
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
  type Made = { id: string; plain_key?: string };
  /** Creates something and goes on with it; a refusal ends the work. */
  const create = async (path: string, body: unknown, goOn: (made: Made) => Promise<{ status: number }>) => {
    const response = await post(`/api/v1${path}`, body);
    return response.status === 201 ? goOn(JSON.parse(response.text).data) : response;
  };
  const read = (path: string) => call({ path: `/api/v1${path}`, headers: authorization() });
  const csrf = async () => JSON.parse((await call({ path: "/api/auth/csrf" })).text) as { csrfToken: string };
  const challenge = async () => {
    const body = JSON.stringify({ csrf_token: (await csrf()).csrfToken });
    return call({ method: "POST", path: "/api/trpc/auth.passkeys.beginSignIn", body });
  };
  const signIn = async () => {
    const form = new URLSearchParams({
      email: `nobody-${next()}@example.com`,
      password: "wrong",
      ...(await csrf()),
    });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return call({ method: "POST", path: "/api/auth/callback/credentials", headers, body: form.toString() });
  };

  return {
    send: { perSecond: 20, work: () => send() },
    "send with a key of its own": { perSecond: 5, work: () => send({ "idempotency-key": `soak-${next()}` }) },
    "schedule, reschedule, read, cancel": {
      perSecond: 2,
      work: () =>
        create("/messages/send", { ...message(), send_at: inAnHour() }, async ({ id }) => {
          await post(`/api/v1/messages/${id}/reschedule`, { send_at: inAnHour() });
          await read(`/messages/${id}/timeline`);
          return call({ method: "POST", path: `/api/v1/messages/${id}/cancel`, headers: authorization() });
        }),
    },
    bulk: {
      perSecond: 1,
      work: () =>
        post("/api/v1/messages/bulk", { recipients: RECIPIENTS, from: customer.sender, body: `Hello ${next()}` }),
    },
    lists: {
      perSecond: 4,
      work: () =>
        read(pick(["/messages", "/events", "/usage", "/balance", "/inbound", `/messages?reference=${next()}`])),
    },
    "a key that is made, used and revoked": {
      perSecond: 1,
      work: () =>
        create("/api-keys/create", { name: `soak ${next()}`, permissions: ["sms:read"] }, async (made) => {
          await call({ path: "/api/v1/messages", headers: { authorization: `Bearer ${made.plain_key}` } });
          return call({ method: "DELETE", path: `/api/v1/api-keys/${made.id}`, headers: authorization() });
        }),
    },
    "an endpoint that is made, tested and deleted": {
      perSecond: 1,
      work: () =>
        create("/webhooks/create", { url: `${receiver}/${next()}` }, async ({ id }) => {
          await post(`/api/v1/webhooks/${id}/test`, {});
          return call({ method: "DELETE", path: `/api/v1/webhooks/${id}`, headers: authorization() });
        }),
    },
    "a number that is suppressed for a moment": {
      perSecond: 1,
      work: () =>
        create("/suppressions", { number: `+1415${1_000_000 + next()}` }, ({ id }) =>
          call({ method: "DELETE", path: `/api/v1/suppressions/${id}`, headers: authorization() }),
        ),
    },
    estimates: { perSecond: 1, work: () => post("/api/v1/messages/estimate", message()) },
    "refused sends": {
      perSecond: 4,
      work: () =>
        post("/api/v1/messages/send", pick<unknown>([{}, { to: `x${next()}` }, "text", { [`f${next()}`]: 1 }])),
    },
    "unknown keys": {
      perSecond: 5,
      work: () => call({ path: "/api/v1/messages", headers: { authorization: `Bearer sk_live_${next()}` } }),
    },
    "unknown paths": {
      perSecond: 5,
      work: () => call({ path: pick([`/api/v1/none-${next()}`, `/none-${next()}`, `/api/trpc/none.${next()}`]) }),
    },
    "receipts for unknown messages": {
      perSecond: 2,
      work: () => call({ method: "POST", path: `/api/receipts/twilio/${next()}`, body: "{}" }),
    },
    "wrong sign-ins": { perSecond: 1, work: signIn },
    "challenges to sign in with a passkey": { perSecond: 0.1, work: challenge },
    "calls of a person": {
      perSecond: 3,
      work: () => {
        const [procedure, input] = pick<[string, object]>([
          ["requestLog.list", {}],
          ["messages.search", { reference: `${next()}` }],
          ["search.find", { text: `order ${next()}` }],
          ["overview.concerns", {}],
          ["auth.passkeys.list", {}],
        ]);
        const path = `/api/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`;
        return call({ path, headers: { cookie } });
      },
    },
    downloads: {
      perSecond: 0.2,
      work: () =>
        call({
          ...{ method: "POST", path: "/api/exports", headers: { cookie, origin: `http://127.0.0.1:${port}` } },
          body: JSON.stringify({ list: pick(["messages", "suppressions"]) }),
        }),
    },
    "pages of a person": {
      perSecond: 1,
      work: () =>
        call({ path: pick(["/messages", "/api-keys", "/webhooks", "/usage", "/senders"]), headers: { cookie } }),
    },
    "pages of strangers": { perSecond: 1, work: () => call({ path: pick(["/", "/sign-in", "/docs"]) }) },
    "followers that leave": {
      perSecond: 2,
      work: () =>
        leaveEarly(
          port,
          `GET /api/trpc/live.changes HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\nCookie: ${cookie}\r\n\r\n`,
        ),
    },
    "callers that leave": {
      perSecond: 2,
      work: () =>
        leaveEarly(
          port,
          `POST /api/v1/messages/send HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization().authorization}\r\n` +
            'Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"to":',
        ),
    },
  } satisfies Record<string, { perSecond: number; work: () => Promise<{ status: number }> }>;
}

/** Does each kind of work for `seconds` at its own pace, whether or not responses arrive, and waits for pending ones. */
export async function doMixedWork(plan: WorkPlan): Promise<WorkDone> {
  const caller = createCaller(plan.port);
  const done: WorkDone = {};
  const underWay = new Set<Promise<void>>();
  const timers = Object.entries(kindsOf(plan, caller.call)).map(([kind, { perSecond, work }]) => {
    const counts: Record<string, number> = {};
    done[kind] = counts;
    const count = (status: string) => {
      counts[status] = (counts[status] ?? 0) + 1;
    };
    return setInterval(() => {
      const one = work()
        .then(({ status }) => count(String(status)))
        .catch(() => count("broken"))
        .finally(() => underWay.delete(one));
      underWay.add(one);
    }, 1_000 / perSecond);
  });
  await pause(plan.seconds * 1_000, undefined, { signal: plan.signal }).catch(() => undefined);
  for (const timer of timers) clearInterval(timer);
  await Promise.all(underWay);
  caller.close();
  return done;
}
