/** Requests with exactly these headers, without those that browsers and `fetch` add. */
import http from "node:http";

/** Enough connections for requests made at once to arrive at once. */
const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });

export type Asked = {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
};

export type Responded = { status: number; headers: http.IncomingHttpHeaders; text: string };

/** Sends one request. Rejects when the connection breaks before the response is complete. */
export const ask = (url: string, { method = "GET", path, headers = {}, body }: Asked): Promise<Responded> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const options = { method, path, headers: { ...headers, ...length }, agent };
    const request = http.request(url, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() }),
      );
      answer.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });

/** Number of responses by status. */
export function statusCounts(answers: { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
